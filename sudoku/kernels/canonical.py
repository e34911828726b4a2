"""Kernel for the canonical form of puzzles: the least of all that are equivalent to a puzzle.

Equivalent puzzles come from each other by permuting the digits, the bands, the rows of a band, the
stacks and the columns of a stack, and, where that leaves the boxes as they are, by transposition.
The least one is the first in lexicographic order, cells by rows, with 0 for a blank.

It is built row by row. A partial map says which rows of the puzzle come first, and in which order;
the maps that lead to the least first rows are kept, all others dropped. Invariants of a map:

- A digit has its label when it was met; labels are given in the order in which digits are met.
- In each stack the columns that have been blank so far come first, in no particular order, and
  so do the stacks that have been blank so far. All other places are final.

So a row has one least text for each map: among columns whose order is not final, blanks come first,
then labels, then digits without a label. If several digits without a label, or several stacks that
have nothing else, can change places, each order is a map of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlx.compiled import allocating, helper
from sudoku.kernels.kernel import Array

# A partial map is a row of uint8: these two numbers, then from ROWS on N rows of the puzzle and N
# columns in their new order, N labels of digits (0 for none), and for each stack how many of its
# columns have been blank so far.
TRANSPOSED = 0
LABELS = 1  # labels given so far
ROWS = 2

MOST_MAPS = 1 << 22  # maps that are kept at a time
UNLABELLED = 255  # in a text: a digit without a label


@allocating
def canonical(
    puzzles: Array, box_rows: Any, box_columns: Any, transposing: Any, forms: Array, maps: Array,
    begin: Any, number: Any,
) -> Any:  # fmt: skip
    """Write the canonical forms, uint8[k, cells], of puzzles from `begin` on, at most `number`.

    A row of `maps`, uint8[k, 1 + 3 N], says how a puzzle becomes its form: whether it is transposed
    first; for each row, then for each column of the form, that of the puzzle; and the label of each
    digit from 1. Return -1; or k if puzzle k has more than MOST_MAPS maps, -2 - k if it has a digit
    twice in a row or a column, and so no form.

    >>> puzzles = np.zeros((2, 16), np.uint8)
    >>> puzzles[0, 3] = puzzles[1, 8] = puzzles[1, 14] = 3
    >>> forms, maps = np.zeros((2, 16), np.uint8), np.zeros((2, 13), np.uint8)
    >>> canonical(puzzles, 2, 2, True, forms, maps, 0, 2)
    -1
    >>> forms[0].nonzero()[0], forms[1].nonzero()[0], forms.max(axis=1)
    (array([15]), array([11, 13]), array([1, 1], dtype=uint8))
    """
    size = box_rows * box_columns
    width = ROWS + 3 * size + box_rows
    old = np.zeros((64, width), np.uint8)
    new = np.zeros((64, width), np.uint8)
    grids = np.zeros((2, size, size), np.uint8)
    given = np.zeros((2, size), np.int64)  # digits of each row
    text = np.zeros(size, np.uint8)
    base = np.zeros(width, np.uint8)
    ties = np.zeros((size, 3), np.int64)
    for k in range(begin, min(begin + number, len(puzzles))):
        for row in range(size):
            given[0, row] = given[1, row] = 0
        for row in range(size):
            for column in range(size):
                digit = puzzles[k, row * size + column]
                grids[0, row, column] = grids[1, column, row] = digit
                if digit:
                    bit = np.int64(1) << (np.int64(digit) - 1)
                    if (given[0, row] | given[1, column]) & bit:
                        return -2 - k
                    given[0, row] |= bit
                    given[1, column] |= bit
        count = 1 + (1 if transposing else 0)
        for each in range(count):
            _first_map(old[each], size, box_columns, each)
        for row in range(size):
            best = forms[k, row * size : row * size + size]
            _fill(best, UNLABELLED)
            children = 0
            for each in range(count):
                parent = old[each]
                kind = parent[TRANSPOSED]
                for candidate in range(size):
                    if not _may_follow(parent, row, candidate, given[kind], box_rows):
                        continue
                    cells = grids[kind, candidate]
                    _least_text(parent, cells, box_rows, box_columns, base, text)
                    order = _compare(text, best)
                    if order > 0:
                        continue
                    if order < 0:
                        _copy(text, best)
                        children = 0
                    base[ROWS + row] = candidate
                    num_ties, variants = _ties(base, parent, cells, box_rows, box_columns, ties)
                    if children + variants > MOST_MAPS:
                        return k
                    while children + variants > len(new):
                        more = np.zeros((2 * len(new), width), np.uint8)
                        _copy(new.reshape(-1), more.reshape(-1))
                        new = more
                    for variant in range(variants):
                        child = new[children]
                        _copy(base, child)
                        _permute(child[: ROWS + 3 * size], ties, num_ties, variant)
                        _give_labels(child, cells)
                        children += 1
            old, new, count = new, old, children
        first = old[0]
        maps[k, 0] = first[TRANSPOSED]
        _copy(first[ROWS : ROWS + 3 * size], maps[k, 1:])
        _label_the_rest(maps[k, 1 + 2 * size :], first[LABELS])
    return -1


@helper
def _copy(source: Array, target: Array) -> None:
    # a slice assignment does the same, and takes half a second to compile
    for i in range(len(source)):
        target[i] = source[i]


@helper
def _fill(target: Array, value: Any) -> None:
    for i in range(len(target)):
        target[i] = value


@helper
def _first_map(state: Array, size: Any, box_columns: Any, transposed: Any) -> None:
    _fill(state, 0)
    state[TRANSPOSED] = transposed
    for column in range(size):
        state[ROWS + size + column] = column
    _fill(state[ROWS + 3 * size :], box_columns)


@helper
def _may_follow(state: Array, row: Any, candidate: Any, given: Array, box_rows: Any) -> bool:
    """Return whether a row of the puzzle may be the next one.

    Of the blank rows of a band only the first one left is tried; likewise of blank bands.
    """
    band = candidate // box_rows
    if _used(state, row, candidate):
        return False
    if row % box_rows and state[ROWS + row - 1] // box_rows != band:
        return False
    first = band * box_rows
    if given[candidate] == 0:
        for other in range(first, candidate):
            if given[other] == 0 and not _used(state, row, other):
                return False
    if row % box_rows == 0 and _blank(given, first, box_rows):
        for other in range(0, first, box_rows):
            if _blank(given, other, box_rows) and not _used(state, row, other):
                return False
    return True


@helper
def _used(state: Array, row: Any, candidate: Any) -> bool:
    for before in range(row):  # noqa: SIM110 (numba does not compile generator expressions)
        if state[ROWS + before] == candidate:
            return True
    return False


@helper
def _blank(given: Array, first: Any, box_rows: Any) -> bool:
    for row in range(first, first + box_rows):  # noqa: SIM110
        if given[row]:
            return False
    return True


@helper
def _least_text(
    parent: Array, cells: Array, box_rows: Any, box_columns: Any, child: Array, text: Array
) -> None:
    """Write the least text of a row of the puzzle, and one map that leads to it."""
    size = len(cells)
    labels, blanks = ROWS + 2 * size - 1, ROWS + 3 * size  # digits count from 1
    _copy(parent, child)
    columns = child[ROWS + size : ROWS + 2 * size]
    blank_stacks = 0
    for stack in range(box_rows):
        first = stack * box_columns
        for place in range(first, first + box_columns):
            digit = cells[columns[place]]
            label = child[labels + digit] if digit else 0
            text[place] = UNLABELLED if digit and label == 0 else label
        loose = parent[blanks + stack]
        for place in range(first + 1, first + loose):
            other = place
            while other > first and text[other] < text[other - 1]:
                text[other], text[other - 1] = text[other - 1], text[other]
                columns[other], columns[other - 1] = columns[other - 1], columns[other]
                other -= 1
        num_blank = 0
        while num_blank < loose and text[first + num_blank] == 0:
            num_blank += 1
        child[blanks + stack] = num_blank
        blank_stacks += loose == box_columns
    for stack in range(1, blank_stacks):
        other = stack
        while other and _exchange(text, columns, child, blanks, other, box_columns):
            other -= 1
    label = parent[LABELS]
    for place in range(size):
        if text[place] == UNLABELLED:
            label += 1
            text[place] = label


@helper
def _exchange(
    text: Array, columns: Array, child: Array, blanks: Any, stack: Any, box_columns: Any
) -> bool:
    """Exchange a stack and the one before it if its text is less; return whether it was."""
    first = stack * box_columns
    order = _compare(text[first : first + box_columns], text[first - box_columns : first])
    if order >= 0:
        return False
    for place in range(first, first + box_columns):
        other = place - box_columns
        text[place], text[other] = text[other], text[place]
        columns[place], columns[other] = columns[other], columns[place]
    here, before = blanks + stack, blanks + stack - 1
    child[here], child[before] = child[before], child[here]
    return True


@helper
def _compare(one: Array, other: Array) -> Any:
    for place in range(len(one)):
        if one[place] != other[place]:
            return np.int64(one[place]) - np.int64(other[place])
    return np.int64(0)


@helper
def _ties(
    child: Array, parent: Array, cells: Array, box_rows: Any, box_columns: Any, ties: Array
) -> tuple[Any, Any]:
    """Write which columns, or stacks, can change places without changing the text.

    A row of `ties` is the first place, how many change places, and the columns of each. Return how
    many rows there are, and the number of arrangements, at most MOST_MAPS + 1.
    """
    size = len(cells)
    blanks = ROWS + 3 * size
    count = 0
    arrangements = 1
    for stack in range(box_rows):
        first = stack * box_columns
        end = first + np.int64(parent[blanks + stack])
        new = 0
        while end - new > first and _is_new(child, cells, end - new - 1):
            new += 1
        if new > 1:
            ties[count] = end - new, new, 1
            count += 1
            arrangements = _times_factorial(arrangements, new)
    stack = 0
    while stack < box_rows and parent[blanks + stack] == box_columns:
        num_blank = child[blanks + stack]
        alike = 1
        if num_blank < box_columns and _is_new(child, cells, stack * box_columns + num_blank):
            while (
                stack + alike < box_rows
                and parent[blanks + stack + alike] == box_columns
                and child[blanks + stack + alike] == num_blank
                and _is_new(child, cells, (stack + alike) * box_columns + num_blank)
            ):
                alike += 1
        if alike > 1:
            ties[count] = stack * box_columns, alike, box_columns
            count += 1
            arrangements = _times_factorial(arrangements, alike)
        stack += alike
    return count, arrangements


@helper
def _is_new(child: Array, cells: Array, place: Any) -> bool:
    size = len(cells)
    digit = cells[child[ROWS + size + place]]
    return bool(digit != 0 and child[ROWS + 2 * size - 1 + digit] == 0)


@helper
def _times_factorial(number: Any, n: Any) -> Any:
    for k in range(2, n + 1):
        number = min(number * k, MOST_MAPS + 1)
    return number


@helper
def _permute(child: Array, ties: Array, count: Any, rank: Any) -> None:
    """Make arrangement number `rank` of the columns and stacks that can change places."""
    size = (len(child) - ROWS) // 3
    columns = child[ROWS + size : ROWS + 2 * size]
    for tie in range(count):
        first, length, width = ties[tie]
        for k in range(length):
            other = k + rank % (length - k)
            rank //= length - k
            for place in range(width):
                one, two = first + k * width + place, first + other * width + place
                columns[one], columns[two] = columns[two], columns[one]


@helper
def _give_labels(child: Array, cells: Array) -> None:
    """Give labels to the digits of the row, from left to right."""
    size = len(cells)
    for place in range(size):
        digit = cells[child[ROWS + size + place]]
        if digit and child[ROWS + 2 * size - 1 + digit] == 0:
            child[LABELS] += 1
            child[ROWS + 2 * size - 1 + digit] = child[LABELS]


@helper
def _label_the_rest(label: Array, last: Any) -> None:
    """Give the labels after `last` to the digits that the puzzle does not have."""
    for digit in range(len(label)):
        if label[digit] == 0:
            last += 1
            label[digit] = last
