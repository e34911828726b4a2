"""SolutionSet: all solutions of a problem as a decision diagram: count, index, sample, optimise.

A node of the diagram is the remainder of a set of chosen options. Each of its edges is an option
that may be chosen next, and leads to the node of the new remainder. The paths from the root to the
end are the solutions, each once. Choices with equal remainders lead to one node, so a diagram of a
million nodes may represent 10**30 solutions. It is recorded by the sweep of
`dlx.count.sweep_kernel` (`build`); most methods are one pass over the edges, as for a ZDD (Knuth,
The Art of Computer Programming, volume 4A, section 7.1.4; volume 4B, 7.2.2.1, exercises on
Algorithm Z).
"""

from __future__ import annotations

import heapq
import math
import operator
import os
import random
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from html import escape
from itertools import islice, repeat
from numbers import Integral, Rational, Real
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from dlx import container
from dlx.checks import (
    as_options,
    as_sequence,
    at_least,
    brief,
    digits,
    number_of_values,
    option_numbers,
    solutions_text,
    whole,
)
from dlx.count.memory import MANY_RESULTS, require_memory_for
from dlx.count.slack import without_slack
from dlx.diagram.arrays import is_diagram, levels, reduced
from dlx.errors import ProblemError, StateError
from dlx.problem import Costed, Problem, as_problem

Array = npt.NDArray[Any]

KIND = "solution set"  # of a saved file
MOST_EXPONENT = 10_000  # of a cost that is a Decimal: its sums are exact
SHOWN = 10  # solutions in the table of a notebook


def _like(number: Any, total: int, unit: int) -> Any:
    """Return total / unit in the type of a number."""
    if isinstance(number, int):
        return total
    if isinstance(number, Decimal):
        return Decimal(total) / unit
    return Fraction(total, unit) if isinstance(number, Rational) else total / unit


class SolutionSet:
    """All solutions of a problem that contain the given options, in a fixed order.

    Made by `dlx.solution_set`, `restrict` and `load`. A solution is a tuple of option numbers,
    ascending, givens included. The set can be indexed, iterated over and tested for membership.
    The order depends on the problem and the givens alone. `len` works up to `sys.maxsize`, `count`
    always.

    Attributes
    ----------
    problem : Problem
    given : tuple of int
    count : int
        The number of solutions, exact.
    nodes, edges : int
        The size of the diagram.

    Examples
    --------
    >>> from dlx import solution_set
    >>> found = solution_set([[0, 1], [2], [0], [1, 2], [1]])
    >>> found.count, list(found)
    (3, [(0, 1), (2, 3), (1, 2, 4)])
    >>> found[1], found.index((4, 2, 1)), (0, 1) in found
    ((2, 3), 2, True)
    """

    def __init__(
        self, problem: Problem, given: tuple[int, ...], first: Array, option: Array, child: Array
    ) -> None:
        # Node i has the edges first[i] to first[i + 1] - 1, their options ascending; node 0 is
        # the root, a child comes after its parents, and number `nodes` is the end. Without
        # nodes the root is the end; the diagram of no solution is one node without edges.
        # An option beyond those of the problem is one of `without_slack`, the last of its node.
        self.problem = problem
        self.given = given
        self._exact = without_slack(problem)
        self._first, self._option, self._child = first, option, child
        self._levels = levels(first, child)
        self._completions = self._up(np.add, self._ones(), None)
        self.count = int(self._completions[0])

    @property
    def nodes(self) -> int:
        """The number of nodes of the diagram, without the end."""
        return len(self._first) - 1

    @property
    def edges(self) -> int:
        """The number of edges of the diagram."""
        return len(self._option)

    def _edges_of(self, node: int) -> range:
        return range(int(self._first[node]), int(self._first[node + 1]))

    def __repr__(self) -> str:
        found = solutions_text(self.count)
        return f"SolutionSet({found}, {self.nodes} nodes, {self.edges} edges)"

    def _repr_html_(self) -> str:
        shown = [[self.problem.option(number) for number in solution] for solution in self[:SHOWN]]
        texts = [" ".join(f"({' '.join(map(str, option))})" for option in each) for each in shown]
        others, _, _ = solutions_text(self.count - SHOWN, ",").partition(" ")
        more = f"<p>... and {others} more</p>" if self.count > SHOWN else ""
        rows = "".join(f"<li>{escape(text)}</li>" for text in texts)
        return f'<p>{solutions_text(self.count, ",")}</p><ol start="0">{rows}</ol>{more}'

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    # passes over the edges

    def _ones(self) -> Array:
        """As many as there are nodes, of a type that can hold the count: int64 or Python ints."""
        with np.errstate(over="ignore"):  # infinite is large enough
            estimate = self._up(np.add, np.ones(self.nodes + 1), None)
        exact = np.int64 if estimate[0] < 2.0**62 else object
        return np.ones(self.nodes + 1, exact)

    def _up(self, combine: np.ufunc, value: Array, cost: Array | None) -> Array:
        """From the end to the root: a node's value combines those of its edges.

        An edge has the value of its child, plus the cost of its option; `value[nodes]` is given.
        """
        for start, stop in reversed(self._levels):
            edges = slice(int(self._first[start]), int(self._first[stop]))
            along = value[self._child[edges]]
            if cost is not None:
                along = along + cost[self._option[edges]]
            if len(along):
                value[start:stop] = combine.reduceat(along, self._first[start:stop] - edges.start)
            else:
                value[start:stop] = 0
        return value

    def option_counts(self) -> list[int]:
        """The number of solutions that contain each option of the problem.

        Examples
        --------
        >>> from dlx import solution_set
        >>> solution_set([[0, 1], [2], [0], [1, 2], [1]]).option_counts()
        [1, 2, 2, 1, 1]
        """
        counts = np.zeros(self._exact.num_options, self._completions.dtype)
        reached = np.zeros_like(self._completions)  # paths from the root to each node
        reached[0] = 1
        for start, stop in self._levels:
            edges = slice(int(self._first[start]), int(self._first[stop]))
            paths = np.repeat(reached[start:stop], np.diff(self._first[start : stop + 1]))
            child = self._child[edges]
            np.add.at(reached, child, paths)
            np.add.at(counts, self._option[edges], paths * self._completions[child])
        counts[list(self.given)] = self.count
        return [int(n) for n in counts[: self.problem.num_options]]

    # one solution

    def _solution(self, path: list[int]) -> tuple[int, ...]:
        """The options on a path, ascending, without those of `without_slack`."""
        chosen, num_options = sorted(path), self.problem.num_options
        while chosen and chosen[-1] >= num_options:
            chosen.pop()
        return tuple(chosen)

    @overload
    def __getitem__(self, index: int) -> tuple[int, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[int, ...]]: ...

    def __getitem__(self, index: int | slice) -> tuple[int, ...] | list[tuple[int, ...]]:
        """The solution of this index, negative ones counting from the end; a list for a slice.

        Raises
        ------
        IndexError
            There is no solution of this index.
        ProblemError
            The index is neither an integer nor a slice.
        TypeError, ValueError
            The slice is not of integers, or its step is 0.

        Examples
        --------
        >>> from dlx import solution_set
        >>> solution_set([[0, 1], [2], [0], [1, 2], [1]])[:2]
        [(0, 1), (2, 3)]
        """
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self.count))]
        place = whole(index, "an index")
        rank = place + self.count if place < 0 else place
        if not 0 <= rank < self.count:
            raise IndexError(f"an index is out of range: there are {solutions_text(self.count)}")
        chosen = list(self.given)
        node = 0
        while node < self.nodes:
            for edge in self._edges_of(node):
                completions = int(self._completions[self._child[edge]])
                if rank < completions:
                    break
                rank -= completions
            chosen.append(int(self._option[edge]))
            node = int(self._child[edge])
        return self._solution(chosen)

    def index(self, solution: Iterable[int]) -> int:
        """The index of a solution.

        Parameters
        ----------
        solution : iterable of int
            Its options, in any order.

        Raises
        ------
        ValueError
            It is not in this set. A ProblemError if it is not an iterable, or if a value in it
            cannot be an option number, such as a list.

        Examples
        --------
        >>> from dlx import solution_set
        >>> solution_set([[0, 1], [2], [0], [1, 2]]).index([3, 2])
        1
        """
        options = tuple(option_numbers(solution, self.problem.num_options, "solution"))
        chosen = set(options)
        used = len(chosen.intersection(self.given))
        place = node = 0
        empty = range(self.problem.num_options, self._exact.num_options)
        while node < self.nodes:
            for edge in self._edges_of(node):
                if (option := int(self._option[edge])) in chosen or option in empty:
                    break
                place += int(self._completions[self._child[edge]])
            else:
                break
            used += option not in empty
            node = int(self._child[edge])
        if node < self.nodes or not used == len(options) == len(chosen) or not self.count:
            raise ValueError(f"{brief(options)} is not one of these {solutions_text(self.count)}")
        if len(chosen.intersection(self.given)) < len(self.given):
            raise ValueError(f"{brief(options)} does not contain all of the given {self.given}")
        return place

    def __contains__(self, solution: object) -> bool:
        try:
            self.index(solution)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return False
        return True

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        if not self.count:
            return
        first, option, child, nodes = self._first, self._option, self._child, self.nodes
        path = list(self.given)
        if not nodes:
            yield tuple(path)
            return
        stack = [int(first[0])]  # the next edge of each node on the way
        ends = [int(first[1])]
        while stack:
            edge = stack[-1]
            if edge == ends[-1]:
                stack.pop()
                ends.pop()
                if stack:
                    path.pop()
                continue
            stack[-1] += 1
            path.append(int(option[edge]))
            node = int(child[edge])
            if node == nodes:
                yield self._solution(path)
                path.pop()
            else:
                stack.append(int(first[node]))
                ends.append(int(first[node + 1]))

    def sample(self, n: int, seed: int | None = None) -> list[tuple[int, ...]]:
        """Draw solutions, independently, each of all solutions with equal probability.

        Parameters
        ----------
        n : int
            How many are drawn.
        seed : int, optional
            Makes the draw reproducible on every machine.

        Raises
        ------
        ProblemError
            `n` is negative, not a whole number or more than a list can have, or `seed` is negative
            or not a whole number.
        ValueError
            There is no solution.
        MemoryError
            So many solutions do not fit into memory.

        Examples
        --------
        >>> from dlx import solution_set
        >>> solution_set([[0, 1], [2], [0], [1, 2]]).sample(3, seed=1)
        [(0, 1), (0, 1), (2, 3)]
        """
        n = number_of_values(n, 0, "n")
        if n > 0 and not self.count:
            raise ValueError("there is no solution to draw from")
        if n > MANY_RESULTS:
            require_memory_for(n, sys.getsizeof(self[0]) + 8, "solutions")
        return list(islice(self.draws(seed), n))

    def draws(self, seed: int | None = None) -> Iterator[tuple[int, ...]]:
        """Return an iterator over what `sample` draws, without end unless there is no solution.

        Raises
        ------
        ProblemError
            `seed` is not a whole number, or negative.
        """
        draw = random.Random(None if seed is None else at_least(seed, 0, "seed"))
        return (self[draw.randrange(self.count)] for _ in repeat(None)) if self.count else iter(())

    # costs

    def best(self, costs: Iterable[Any] | None = None) -> Costed | None:
        """The cheapest solution, the first of several; None if there is no solution.

        Parameters
        ----------
        costs : iterable of numbers, optional
            One for each option, by default the problem's: ints of any size, floats, Fractions or
            Decimals. Costs are compared exactly, and the sum that is returned is rounded once.

        Raises
        ------
        ProblemError
            There is not one cost for each option, a cost is not a finite number, or the costs
            cannot be added up.

        Examples
        --------
        >>> from dlx import solution_set
        >>> solution_set([[0, 1], [2], [0], [1, 2]]).best([5, 1, 2, 3])
        Costed(cost=5, solution=(2, 3))
        """
        return next(iter(self.k_best(costs, 1)), None)

    def k_best(self, costs: Iterable[Any] | None = None, k: int = 1) -> list[Costed]:
        """The k cheapest solutions, or all there are, by cost, then by index.

        A best-first search by the exact cost of the cheapest completion: only partial solutions
        that are part of a returned solution are expanded.

        Parameters
        ----------
        costs : iterable of numbers, or None
            As for `best`.
        k : int
            The most solutions to return, from 0 on.

        Returns
        -------
        list of Costed

        Raises
        ------
        ProblemError
            `k` is negative or not a whole number, or for costs as `best`.

        Examples
        --------
        >>> from dlx import solution_set
        >>> [cost for cost, _ in solution_set([[0, 1], [2], [0], [1, 2]]).k_best([5, 1, 2, 3], 9)]
        [5, 6]
        """
        k = at_least(k, 0, "k")
        cost, unit, most = self._costs(costs)
        if not k or not self.count:
            return []
        least = self._up(np.minimum, np.zeros(self.nodes + 1, cost.dtype), cost)
        base = sum((cost[option] for option in self.given), start=0)
        # cost of the cheapest solution with these edges; the edges, their last child, their cost
        heap: list[tuple[Any, tuple[int, ...], int, Any]] = [(base + least[0], (), 0, base)]
        found: list[Costed] = []
        while heap and len(found) < k:
            goal, path, node, spent = heapq.heappop(heap)
            if len(found) == k - 1:  # the last one: no other is expanded
                edges = list(path)
                while node != self.nodes:
                    for edge in self._edges_of(node):
                        child = int(self._child[edge])
                        so_far = spent + cost[self._option[edge]]
                        if so_far + least[child] == goal:
                            break
                    edges.append(edge)
                    node, spent = child, so_far
                path = tuple(edges)
            if node == self.nodes:
                options = [*self.given, *(int(self._option[edge]) for edge in path)]
                found.append(Costed(_like(most, int(spent), unit), self._solution(options)))
                continue
            for edge in self._edges_of(node):
                child = int(self._child[edge])
                so_far = spent + cost[self._option[edge]]
                heapq.heappush(heap, (so_far + least[child], (*path, edge), child, so_far))
        return found

    def _costs(self, costs: Iterable[Any] | None) -> tuple[Array, int, Any]:
        """Whole costs, how many of their units are 1, and the absolute costs added up.

        Sums of whole numbers are exact. Sums of floats depend on their order: partial solutions
        would seem cheaper than those that they become, and all of them be expanded. The array is
        of int64 where no sum can overflow, else of Python ints.
        """
        if costs is None:
            costs = self.problem.costs or ()
            if not costs and self.problem.num_options:
                raise ProblemError("the problem has no costs; pass one for each option")
        values = as_sequence(costs, "costs", "numbers, one for each option")
        values = [c.item() if isinstance(c, np.generic) else c for c in values]
        are_whole = [isinstance(c, Integral) and not isinstance(c, bool) for c in values]
        values = [operator.index(c) if w else c for c, w in zip(values, are_whole, strict=True)]
        if len(values) != self.problem.num_options:
            raise ProblemError(
                f"{len(values)} costs for {self.problem.num_options} options; each needs one"
            )
        for option, c in enumerate(values):
            try:
                fine = isinstance(c, Real | Decimal) and c - c == 0  # neither NaN nor infinite
            except ArithmeticError:  # of Decimals
                fine = False
            if not fine or isinstance(c, bool):
                raise ProblemError(f"the cost of option {option} is {brief(c)}, not a number")
            if isinstance(c, Decimal) and abs(c.adjusted()) > MOST_EXPONENT:
                raise ProblemError(
                    f"the cost of option {option} is {brief(c)}; its exponent must be between"
                    f" -{MOST_EXPONENT} and {MOST_EXPONENT}"
                )
        try:
            most = sum(map(abs, values))
        except (TypeError, OverflowError) as error:
            raise ProblemError(f"costs of several types cannot be added up: {error}") from None
        unit = 1
        if not all(are_whole):
            ratios = [c.as_integer_ratio() for c in values]
            unit = math.lcm(*(denominator for _, denominator in ratios))
            values = [numerator * (unit // denominator) for numerator, denominator in ratios]
        total = sum(map(abs, values))
        try:
            _like(most, total, unit)
        except OverflowError:
            raise ProblemError("costs add up to more than a float can be") from None
        type_ = np.int64 if total < 2**62 else object
        array = np.zeros(self._exact.num_options, type_)
        array[: len(values)] = values
        return array, unit, most

    # other sets

    def restrict(self, required: Iterable[int] = (), forbidden: Iterable[int] = ()) -> SolutionSet:
        """The solutions that have all required options and no forbidden one.

        Parameters
        ----------
        required, forbidden : iterable of int
            Option numbers.

        Returns
        -------
        SolutionSet

        Raises
        ------
        ProblemError
            One of the arguments is not an iterable of option numbers.

        Examples
        --------
        >>> from dlx import solution_set
        >>> found = solution_set([[0, 1], [2], [0], [1, 2], [1]])
        >>> list(found.restrict(required=[1], forbidden=[0]))
        [(1, 2, 4)]
        """
        start, item, num_primary = self._exact.start, self._exact.item, self._exact.num_primary
        allowed = np.ones(self._exact.num_options, np.bool_)
        allowed[list(as_options(forbidden, self.problem.num_options, "forbidden"))] = False
        possible = True
        for option in as_options(required, self.problem.num_options, "required"):
            # Each solution has exactly one option with a given primary item.
            items = item[start[option] : start[option + 1]]
            items = items[items < num_primary]
            (entries,) = np.nonzero(np.isin(item, items))
            rivals = np.searchsorted(start, entries, side="right") - 1
            allowed[rivals[rivals != option]] = False
            possible &= len(items) > 0 or option in self.given
        possible &= bool(allowed[list(self.given)].all())
        keep = allowed[self._option] if possible else np.zeros(self.edges, np.bool_)
        parent = np.repeat(np.arange(self.nodes), np.diff(self._first))[keep]
        nodes = self.nodes if possible else max(1, self.nodes)
        child = np.where(self._child == self.nodes, nodes, self._child)[keep]
        return SolutionSet(
            self.problem, self.given, *reduced(nodes, parent, self._option[keep], child)
        )

    # files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the set to a file, which `load` reads.

        It is written to a temporary file, then renamed.

        Raises
        ------
        OutputError
            An OSError: the file cannot be written.
        """
        container.write(
            path,
            KIND,
            self.problem,
            {"given": list(self.given), "count": digits(self.count)},
            {"first": self._first, "option": self._option, "child": self._child},
        )

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], problem: Problem | Iterable[Iterable[Any]]
    ) -> SolutionSet:
        """The set saved in a file.

        Raises
        ------
        OSError
            The file cannot be read.
        StateError
            The file is damaged, holds no solution set, was saved in another format, or is of
            another problem.
        """
        problem = as_problem(problem)
        values, arrays = container.read(path, KIND, problem)
        damaged = StateError(f"{path}: this saved solution set is damaged")
        given, count = values.get("given"), values.get("count")
        if not isinstance(given, list) or not all(type(option) is int for option in given):
            raise damaged
        try:
            chosen = as_options(given, problem.num_options, "given")
            first, option, child = (arrays[name] for name in ("first", "option", "child"))
        except (KeyError, ProblemError):
            raise damaged from None
        if not is_diagram(first, option, child, without_slack(problem).num_options):
            raise damaged
        solutions = cls(problem, chosen, first, option, child)
        if digits(solutions.count) != count:
            raise damaged
        return solutions
