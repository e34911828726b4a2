"""Text in which every puzzle looks like the first, read without a look at each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sudoku.lines import Span
    from sudoku.symbols import Symbols

__all__ = ["BAD", "byte_table", "repeated"]

BAD = 255
"""In a table from bytes to digits: no cell."""

FEW = 16
"""Records, below which it is not worth while."""


def byte_table(symbols: Symbols) -> bytes | None:
    """bytes.translate table from an ASCII character to a digit; None if names are longer."""
    if not symbols.single or not all(map(str.isascii, symbols.names)):
        return None
    table = bytearray([BAD]) * 256
    for name, digit in symbols.digit.items():
        if len(name) == 1:
            table[ord(name)] = digit
    return bytes(table)


def repeated(
    block: bytes, begin: int, record: list[tuple[str, list[Span]]], blanks: int, table: bytes
) -> tuple[bytes, int]:
    """How often a grid and what goes with it repeats, and the digits of all those grids.

    Args:
        block: text; the first record begins at ``begin``.
        record: the lines of the first, and where each has its cells, one character each.
        blanks: empty lines behind each record.
        table: of ``byte_table``.

    Returns:
        The cells of all grids as digits, one grid after the other, and the length of a record.
        Nothing, if fewer than 16 repeat: then the lines have to be looked at.
    """
    cells: list[int] = []
    length = 0
    for text, spans in record:
        cells += [length + start for start, _ in spans]
        length += len(text.encode("utf-8", "surrogateescape")) + 1
    length += blanks
    count = (len(block) - begin) // length
    if count < FEW or any(end - start != 1 for _, spans in record for start, end in spans):
        return b"", length

    import numpy as np

    rows = np.frombuffer(block, np.uint8, count * length, begin).reshape(count, length)
    rest = np.ones(length, dtype=bool)
    rest[cells] = False
    digits = np.frombuffer(table, np.uint8)[rows[:, cells]]
    good = (rows[:, rest] == rows[0, rest]).all(axis=1) & (digits != BAD).all(axis=1)
    count = count if good.all() else int(np.argmin(good))
    return (digits[:count].tobytes() if count >= FEW else b""), length
