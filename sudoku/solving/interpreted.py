"""The search of a few puzzles in plain Python, for a process that has not loaded numba.

Loading numba and a kernel takes a third of a second, hundreds of times as long as Python code needs
for most puzzles, with naked and hidden singles and guesses. So a command tries this first, until
the puzzles so far show that all together take too much work. It leaves to a kernel puzzles that
take too long and, where the first solution is wanted, those with several, of which the kernel may
find another one first.
So does a process that generates a few puzzles, or explains some that take a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from sudoku.layout import Layout
from sudoku.solving.batch_search import BatchSearch, UniquenessCheck

MOST_WORK = 250_000
"""Passes over all houses times the cells of a grid, for all puzzles together: they take 0.1 to 0.2
s, and decide each puzzle of ``data/hard-9x9.txt``, mostly in 1 ms."""
SAMPLE = 4  # puzzles from whose work that of all is estimated

MOST_INTERPRETED = 8  # that `InterpretedCheck` decides in a call


class FirstSearches:
    """Decides searches one after the other, until all together have taken too much work.

    Attributes
    ----------
    left : int
        The work that they may still take, in the unit of MOST_WORK; 0 once one was not decided.
    """

    def __init__(self) -> None:
        self.left = MOST_WORK

    def decide(self, search: BatchSearch, *, any_first: bool = False) -> bool:
        """Decide all puzzles of a search, or none; never puzzles with candidates.

        Counts and solutions are those of the kernels; `nodes` stay 0. With `any_first` it also
        decides puzzles with several solutions, of which the first may be another one than the
        kernel would find.
        """
        if search.candidates is not None:
            return False
        most, cells, number = self.left, search.layout.cells, len(search.puzzles)
        if number * cells > most:
            self.left = 0
            return False
        limit = search.limit if any_first else 2
        passes = 0
        solutions = []
        for k, puzzle in enumerate(search.puzzles.tolist(), 1):
            share = min(1.0, max(k, SAMPLE) / number)
            left = int(share * most) // cells - passes
            found, taken = _solutions(puzzle, search.layout, left, limit)
            passes += taken
            if taken > left or (len(found) > 1 and not any_first):
                self.left = 0
                return False
            solutions.append(found)
        for k, found in enumerate(solutions):
            search.counts[k] = len(found)
            for solution in found[:1]:
                search.solutions[k] = [mask.bit_length() for mask in solution]
        self.left = most - max(1, passes) * cells
        return True


class InterpretedCheck(UniquenessCheck):
    """A check that counts the solutions of a few puzzles without a kernel, and reports 0 nodes.

    Of several solutions, the first may be another one than the kernel would find.
    """

    def _run(self, search: BatchSearch) -> bool:
        few = search.limit == 2 and len(search.puzzles) <= MOST_INTERPRETED
        if few and not self.stop.is_set() and FirstSearches().decide(search, any_first=True):
            return True
        return super()._run(search)


def _solutions(
    puzzle: list[int], layout: Layout, most: int, limit: int = 2
) -> tuple[list[list[int]], int]:
    """The solutions of a puzzle, at most `limit`, as masks of one digit; and the passes it took.

    It ends after more than `most` passes.
    """
    all_digits, houses = (1 << layout.size) - 1, layout.houses.tolist()
    masks = [1 << digit - 1 if digit else all_digits for digit in puzzle]
    open_branches = [(masks, [cell for cell, digit in enumerate(puzzle) if digit])]
    found: list[list[int]] = []
    passes = 0
    while open_branches and len(found) < limit and passes <= most:
        masks, known = open_branches.pop()
        consistent, taken = _settle(masks, known, houses, layout.peers)
        passes += taken
        if not consistent:
            continue
        unknown = [(mask.bit_count(), cell) for cell, mask in enumerate(masks) if mask & (mask - 1)]
        if not unknown:
            found.append(masks)
            continue
        _, cell = min(unknown)
        digits = masks[cell]
        while digits:
            digit = digits & -digits
            digits ^= digit
            branch = masks.copy()
            branch[cell] = digit
            open_branches.append((branch, [cell]))
    return found, passes


def _settle(
    masks: list[int], known: list[int], houses: list[list[int]], peers: Sequence[Sequence[int]]
) -> tuple[bool, int]:
    """Remove what the digits of `known` cells exclude, and what follows by singles.

    Returns
    -------
    bool, int
        False if a cell, or a digit in a house, has no place left; passes over all houses.
    """
    all_digits = (1 << len(houses[0])) - 1
    passes = 0
    while known:
        passes += 1
        while known:
            cell = known.pop()
            digit = masks[cell]
            for other in peers[cell]:
                mask = masks[other]
                if mask & digit:
                    mask ^= digit
                    if not mask:
                        return False, passes
                    masks[other] = mask
                    if not mask & (mask - 1):
                        known.append(other)
        for house in houses:
            once = twice = 0
            for cell in house:
                twice |= once & masks[cell]
                once |= masks[cell]
            if once != all_digits:
                return False, passes
            single = once & ~twice
            for cell in house:
                digit = masks[cell] & single
                if digit and digit != masks[cell]:
                    if digit & (digit - 1):
                        return False, passes
                    masks[cell] = digit
                    known.append(cell)
    return True, passes
