"""Kernel for batches of any layout up to 12 x 12: 32 depth-first searches, one per vector lane.

The lanes are driven by `sudoku.kernels.lanes`.

The candidates of a cell are a word of 16 bits. Beside them a lane has for each cell the digits that
it *claims*: the last candidate, or a digit that has no other place in some house; two claimed
digits are a contradiction. A round goes through three tables of the layout:

- houses: a digit that a cell claims is removed from the other cells; a digit in no cell is a
  contradiction, one in a single cell is claimed by it (ones and twos are added bit by bit);
- pairs of cells that must differ and share no complete house;
- *equal sets*: two houses both have every digit, so the cells of only the first and the cells of
  only the second hold the same digits, and a digit that is in no cell of one set is removed from
  the other. For a row and a box these are the locked candidates. The same holds for k rows and k
  other houses, as regions of a jigsaw (the "law of leftovers").

If a round finds no new single, the search branches on a cell with the fewest candidates; among
these, on the first one that differs from most of the others: is it its lowest candidate, or not?

Tried without gain: branching on a digit with two places in a house; the houses twice in a round; a
check for digits claimed twice in a house; 16 or 64 lanes; 16 x 16 grids, on which `masks` is as
fast.

Between two calls of `advance`, for each lane that is busy (`sudoku.kernels.lanes` has the rest),
the solutions of its search that are not counted yet are those in words[:C, lane], the candidates of
the C cells, and those in stack[h, lane] for each h below its HEIGHT. All other rows of `words` are
written in each round before they are read, and `choices` is scratch. The columns of other lanes are
arbitrary. `tables` and `allowed` are only read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlx.compiled import copied, helper, kernel
from dlx.compiled.instructions import count_bits, lowest_bit
from sudoku.kernels.kernel import NO_PAIRS, Array, KernelBatch
from sudoku.kernels.lanes import NUM_SEARCHES, lane_counters, search_lanes
from sudoku.kernels.vectors import WIDTH16, aligned, load, nonzero, splat, store, zero

PATIENCE = 1 << 12  # guesses without a solution


class Tables(NamedTuple):
    """The tables of a layout."""

    houses: Array  # int64[H, N]: cells of each house
    pairs: Array  # int64[P, 2]: cells of no common house that differ
    equal: Array  # int64[E, 2, N]: the cells of equal sets
    sizes: Array  # int64[E]: how many of the N cells of each set count
    peers: Array  # int64[cells, masks]: the cells that differ from a cell, 64 to a mask


class State(NamedTuple):
    """32 searches and the position in the batch; C cells."""

    tables: Tables
    words: Array  # uint16[3 C, WIDTH16]: candidates, claimed, known digits; a lane in each column
    stack: Array  # uint16[C, WIDTH16, C]: candidates to return to
    choices: Array  # int64[masks]: cells to choose from when a lane branches, 64 to a mask
    searches: Array  # int64[NUM_SEARCHES, WIDTH16]: a search in each column
    counters: Array  # int64[NUM_COUNTERS]
    allowed: Array  # int64[k, C]: digits that cells may have, as masks; k = 1: of all puzzles


def tables(houses: Array, pairs: Array = NO_PAIRS) -> Tables:
    """Return the tables of a layout, N at most 16; see `sudoku.kernels.kernel.Kernel`.

    >>> from sudoku.layout import Layout
    >>> tables(Layout(2, 3, diagonal=True).houses).houses.shape
    (20, 6)
    """
    houses, pairs = np.array(houses, np.int64), np.array(pairs, np.int64)
    cells = houses.shape[1] ** 2
    differs = np.zeros((cells, -(-cells // 64) * 64), bool)
    for house in houses:
        differs[np.ix_(house, house)] = True
    differs[pairs, pairs[:, ::-1]] = True
    peers = np.packbits(differs, axis=1, bitorder="little").view(np.int64)
    sets = sorted(_equal_sets(houses.tolist()), key=lambda pair: len(pair[0]))
    sizes = np.array([len(one) for one, _ in sets], np.int64)
    equal = np.zeros((len(sets), 2, houses.shape[1]), np.int64)
    for row, pair in zip(equal, sets, strict=True):
        row[:, : len(pair[0])] = [sorted(cells) for cells in pair]
    return Tables(houses, pairs, equal, sizes, peers)


def _equal_sets(houses: list[list[int]]) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Return pairs of sets of cells that hold the same digits, each equally often.

    They are the cells in which k consecutive disjoint houses differ from k later ones: for k = 1
    from any later house, for larger k from those that share most cells. Sets of more than 2 N / 3
    cells are left out: on jigsaws they take longer than the guesses that they save.
    """
    size = len(houses[0])
    members = [frozenset(house) for house in houses]
    pairs = {}
    for first in range(len(members)):
        for end in range(first + 1, min(first + size, len(members))):
            union = frozenset().union(*members[first:end])
            number = end - first
            if len(union) < number * size:
                break
            later = sorted(members[end:], key=lambda house: -len(house & union))
            for others in [[one] for one in later] if number == 1 else [later[:number]]:
                other = frozenset().union(*others)
                one, two = union - other, other - union
                if len(other) == len(union) and 0 < len(one) <= 2 * size // 3:
                    pairs[frozenset((one, two))] = one, two
    return list(pairs.values())


def start(tables: Tables, patience: int = PATIENCE, candidates: Array | None = None) -> State:
    """Return 32 idle lanes, for any batch; see `sudoku.kernels.kernel.Kernel`."""
    cells, masks = tables.peers.shape
    return State(
        tables=tables,
        words=aligned(3 * cells, np.uint16),
        stack=np.empty((cells, WIDTH16, cells), np.uint16),
        choices=np.zeros(masks, np.int64),
        searches=np.zeros((NUM_SEARCHES, WIDTH16), np.int64),
        counters=lane_counters(patience),
        allowed=np.full((1, cells), -1, np.int64) if candidates is None else candidates,
    )


def first_budget(state: State) -> int:
    """Return a budget in rounds of some milliseconds."""
    return (1 << 16) // len(state.tables.peers)


@helper
def _round(state: Any) -> Any:
    """One round of inference in every lane.

    Returns three masks of lanes: those with a contradiction; those where a cell became single, so
    that another round may find more; these and those with a cell left open. A lane in none of them
    is solved: each cell has had one candidate throughout the round, and no house lacked a digit.
    """
    words, tables = state.words, state.tables
    houses, pairs, equal, sizes = tables.houses, tables.pairs, tables.equal, tables.sizes
    size = houses.shape[1]
    cells = size * size
    all_digits = (1 << size) - 1
    bad = changed = unsolved = splat(words, 0)
    for cell in range(cells):
        digits = load(words, cell)
        known = digits & zero(digits & (digits - 1))
        store(words, cells + cell, known)
        store(words, 2 * cells + cell, known)
    for h in range(len(houses)):
        ones = twos = claimed = splat(words, 0)
        for p in range(size):
            cell = houses[h, p]
            digits = load(words, cell)
            claimed = claimed | load(words, cells + cell)
            twos = twos | (ones & digits)
            ones = ones | digits
        bad = bad | (ones ^ all_digits)
        ones = ones & ~twos
        for p in range(size):
            cell = houses[h, p]
            claims = load(words, cells + cell)
            digits = load(words, cell) & (claims | ~claimed)
            store(words, cell, digits)
            store(words, cells + cell, claims | (digits & ones))
    for p in range(len(pairs)):
        one, other = pairs[p]
        store(words, one, load(words, one) & ~load(words, cells + other))
        store(words, other, load(words, other) & ~load(words, cells + one))
    for e in range(len(equal)):
        one, other = equal[e]
        first = second = splat(words, 0)
        for i in range(sizes[e]):
            first = first | load(words, one[i])
        for i in range(sizes[e]):
            digits = load(words, other[i]) & first
            second = second | digits
            store(words, other[i], digits)
        for i in range(sizes[e]):
            store(words, one[i], load(words, one[i]) & second)
    for cell in range(cells):
        claims = load(words, cells + cell)
        digits = load(words, cell) & (claims | zero(claims))
        others = digits & (digits - 1)
        known = digits & zero(others)
        bad = bad | zero(digits) | (claims & others)
        unsolved = unsolved | others
        changed = changed | (known ^ load(words, 2 * cells + cell))
        store(words, cell, digits)
    return nonzero(bad), nonzero(changed), nonzero(changed | unsolved)


@copied
def _branch(state: Any, lane: int, saved: Any) -> None:
    """Put a digit into a cell; `saved`, uint16[cells], gets the rest of the lane."""
    words, peers, choices = state.words, state.tables.peers, state.choices
    for cell in range(len(saved)):
        saved[cell] = words[cell, lane]
    fewest = np.int64(1)
    union = np.int64(0)
    while union == 0:
        fewest += 1
        for part in range(len(choices)):
            mask = np.int64(0)
            for cell in range(64 * part, min(64 * (part + 1), len(saved))):
                mask |= np.int64(count_bits(np.int64(saved[cell])) == fewest) << (cell & 63)
            choices[part] = mask
            union |= mask
    best = chosen = np.int64(-1)
    for part in range(len(choices)):
        cells = choices[part]
        while cells:
            bit = lowest_bit(cells)
            cells ^= np.int64(1) << bit
            cell = (part << 6) + bit
            seen = np.int64(0)
            for other in range(len(choices)):
                seen += count_bits(choices[other] & peers[cell, other])
            if seen > best:
                best = seen
                chosen = cell
    digits = np.int64(saved[chosen])
    saved[chosen] = digits & (digits - 1)
    words[chosen, lane] = digits & -digits


@copied
def _step_back(state: Any, lane: int, saved: Any) -> None:
    for cell in range(len(saved)):
        state.words[cell, lane] = saved[cell]


@copied
def _begin(state: Any, lane: int, puzzles: Any, number: int) -> None:
    all_digits = (1 << state.tables.houses.shape[1]) - 1
    allowed = state.allowed[min(number, len(state.allowed) - 1)]
    for cell in range(puzzles.shape[1]):
        digit = np.int64(puzzles[number, cell])
        digits = np.int64(1) << (digit - 1) if digit else all_digits
        state.words[cell, lane] = digits & allowed[cell]


@copied
def _write(state: Any, lane: int, solutions: Any, number: int) -> None:
    for cell in range(solutions.shape[1]):
        solutions[number, cell] = 1 + lowest_bit(np.int64(state.words[cell, lane]))


@kernel
def advance(state: State, rounds: Any, batch: KernelBatch) -> Any:
    """Continue with a batch for at most `rounds` rounds; see `sudoku.kernels.lanes`.

    >>> from sudoku.layout import Layout
    >>> puzzles = np.zeros((2, 16), np.uint8)
    >>> puzzles[1, :2] = 3
    >>> counts, nodes = np.zeros((2, 2), np.int64)
    >>> batch = KernelBatch(puzzles, 1000, counts, np.zeros_like(puzzles), nodes)
    >>> advance(start(tables(Layout(2, 2).houses)), 10_000, batch), counts.tolist()
    (True, [288, 0])
    """
    return search_lanes(
        state, state.stack, state.searches, state.counters, rounds, batch,
        _begin, _round, _branch, _write, _step_back,
    )  # fmt: skip
