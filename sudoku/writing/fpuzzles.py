"""Puzzles as URLs of f-puzzles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sudoku.errors import SudokuError
from sudoku.layout import NAMES, Layout, default_box
from sudoku.symbols import digits_of

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
SEXTETS = {f"{number:06b}": letter for number, letter in enumerate(BASE64)}
KEYS = {
    "antidiagonal": "diagonal+",
    "maindiagonal": "diagonal-",
    "antiknight": "antiknight",
    "antiking": "antiking",
    "disjoint": "disjointgroups",
}
"""The constraints of f-puzzles for the names of `sudoku.layout.NAMES`."""


def url(
    values: Sequence[int],
    layout: Layout,
    found: Sequence[int] = (),
    candidates: Sequence[int] = (),
) -> str:
    """The URL of a puzzle; SudokuError if f-puzzles cannot show the layout, such as above 16x16.

    `values` are the N*N digits, 0 for a blank; `found`, the digits of a solution, are shown as a
    player's digits; `candidates`, a mask for each cell as of `sudoku.Grid`, in blank cells.

    >>> url([1, 0, 0, 0] * 4, Layout(2, 2))[:40]
    'https://www.f-puzzles.com/?load=N4Igzglg'
    """
    n = layout.size
    if n > 16:
        raise SudokuError(f"f-puzzles has grids up to 16x16, not {layout.name}")
    cells: list[dict[str, Any]] = [
        {"value": digit, "given": True} if digit else {} for digit in values
    ]
    for cell, digit in zip(cells, found, strict=False):
        if not cell:
            cell["value"] = digit
    for cell, digits in zip(cells, digits_of(candidates), strict=False):
        if "given" not in cell and len(digits) < n:
            cell["givenPencilMarks"] = digits
    usual = layout.has_boxes and (layout.box_rows, layout.box_columns) == default_box(n)
    if not usual:
        if not layout.has_boxes and not any(layout.regions):
            raise SudokuError("f-puzzles has no grids without boxes or regions")
        for cell, region in zip(cells, layout.regions, strict=True):
            cell["region"] = region
    puzzle: dict[str, Any] = {
        "size": n,
        "grid": [cells[start : start + n] for start in range(0, n * n, n)],
    }
    puzzle |= _constraints(layout, usual)
    text = json.dumps(puzzle, separators=(",", ":"))
    return "https://www.f-puzzles.com/?load=" + compressed(text)


def _constraints(layout: Layout, usual: bool) -> dict[str, Any]:
    """Return the houses that a layout adds, as entries; `usual`: if it has the usual boxes."""
    entries: dict[str, Any] = {}
    unwritten = {house: None for house in layout.extra if not house.is_region}
    for name, key in KEYS.items():
        if not unwritten or (name == "disjoint" and not usual):
            continue
        houses = NAMES[name](layout)
        if unwritten.keys() >= set(houses):
            entries[key] = True
            unwritten = {house: None for house in unwritten if house not in houses}
    if unwritten:
        names = [[layout.cell_name(cell).upper() for cell in house.cells] for house in unwritten]
        entries["extraregion"] = [{"cells": cells} for cells in names]
    return entries


def compressed(text: str) -> str:
    """Text in base 64, compressed as `sudoku.reading.fpuzzles.decompressed` reads it.

    The text has no characters above U+FFFF.
    """
    numbers: list[tuple[int, int]] = []  # with their widths in bits
    places: dict[str, int] = {}
    new: set[str] = set()
    phrase = ""

    def put(number: int, more: Sequence[tuple[int, int]] = ()) -> None:
        # the reader has a place for each number so far, and for two marks
        width = (len(numbers) + 2).bit_length()
        numbers.extend([(number, width), *more])

    def put_phrase() -> None:
        if phrase in new:
            new.remove(phrase)
            wide = ord(phrase) > 255
            put(int(wide), [(ord(phrase), 16 if wide else 8)])
        else:
            put(places[phrase])

    for character in text:
        if character not in places:
            places[character] = len(places) + 3
            new.add(character)
        longer = phrase + character
        if longer in places:
            phrase = longer
            continue
        put_phrase()
        places[longer] = len(places) + 3
        phrase = character
    if phrase:
        put_phrase()
    put(2)
    bits = "".join(f"{number:0{width}b}"[::-1] for number, width in numbers)  # lowest bit first
    bits += "0" * (6 - len(bits) % 6)
    data = "".join(SEXTETS[bits[at : at + 6]] for at in range(0, len(bits), 6))
    return data + "=" * (-len(data) % 4)
