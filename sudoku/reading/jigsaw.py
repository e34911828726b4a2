"""Jigsaws: N*N givens and the names of N*N regions."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import isqrt

from sudoku.checks import counted
from sudoku.errors import RegionWarning
from sudoku.layout import Layout, regions_of
from sudoku.reading.lines import MAX_ROW, word_spans


def jigsaw(line: str, apart: bool) -> tuple[int, int, int] | None:
    """N, and where givens and regions begin; None if the line is no jigsaw.

    They are one word, from 5x5 on, as 32 characters may be a row of a 32x32 grid; or if `apart`
    two, with a blank, a comma or a colon between. Others may follow.

    >>> jigsaw("1...............:aaababbbccddccdd", True)
    (4, 0, 17)
    """
    if len(line) < 33:
        return None
    words = word_spans(line.replace(":", " "))[:2]
    if not words:
        return None
    (start, end), (middle, last) = words[0], words[-1]
    n = isqrt((end - start) // 2)
    if 2 * n * n == end - start and MAX_ROW < 2 * n * n <= 2 * MAX_ROW**2:
        return n, start, start + n * n
    n = isqrt(end - start)
    names = line[middle:last]
    if not apart or len(words) < 2 or not n * n == end - start == len(names) or n < 4:
        return None
    return (n, start, middle) if names.isalnum() and _are_regions(names, n) else None


def almost_jigsaw(line: str, below: bool) -> tuple[str, int] | None:
    """What is wrong with the names of regions of a line that is no jigsaw, and where; else None.

    They are up to N too few or too many, or one is neither a letter nor a digit. `below` another
    jigsaw, where comments are rare, neighbours need not be in one region.

    >>> almost_jigsaw("1............... aaababbbccddccd", False)
    ('15 names of regions for 16 cells; each cell has one', 18)
    >>> almost_jigsaw("1............... aaababbbccddcc.d", False)
    ("'.' is no name of a region; a letter or a digit is needed", 32)
    """
    words = word_spans(line.replace(":", " "))[:2]
    if len(words) < 2:
        return None
    (start, end), (middle, last) = words
    cells, names = end - start, line[middle:last]
    n = isqrt(cells)
    odd = [place for place, name in enumerate(names) if not name.isalnum()]
    near = below and not odd and 0 < abs(len(names) - cells) <= n and len({*names}) <= n + 1
    if n < 4 or n * n != cells or len(odd) > 1 or not (near or _are_regions(names, n)):
        return None
    if odd:
        reason = f"{names[odd[0]]!r} is no name of a region; a letter or a digit is needed"
        return reason, middle + odd[0] + 1
    return wrong_number(len(names), cells), middle + 1


def wrong_number(names: int, cells: int) -> str:
    """What is wrong where there are not as many names of regions as cells."""
    return f"{counted(names, 'name')} of regions for {cells} cells; each cell has one"


def _are_regions(names: str, n: int) -> bool:
    """Whether about N*N characters are more likely names of regions than a solution or a comment.

    Neighbours are in one region more often than not; in a solution only the end of a row equals
    the beginning of the next one. Names that are far too frequent are blanks. Comments have more
    different characters.
    """
    if abs(len(names) - n * n) > n or 2 * len({*names}) > 3 * n:
        return False
    equal = sum(a == b for step in (1, n) for a, b in zip(names, names[step:], strict=False))
    return equal >= n * n // 2 and max(Counter(names).values()) <= 2 * n


def are_all_regions(names: str, n: int) -> bool:
    """Whether N*N names are those of N regions, N >= 2; as digits they would not be a puzzle.

    >>> are_all_regions("aabbaabbccddccdd", 4), are_all_regions("1234341221434321", 4)
    (True, False)
    """
    sizes = Counter(names).values() if names.count(names[:1]) == n else ()
    fit = n > 1 and len(sizes) == n and {*sizes} == {n}
    return fit and names.isalnum() and _are_regions(names, n)


@lru_cache(maxsize=1024)
def region_layout(names: str) -> tuple[Layout, list[RegionWarning]]:
    """The layout of regions, and which are not connected; LayoutError if there is none."""
    houses, doubts = regions_of(names)
    return Layout(1, len(houses), extra=houses), doubts
