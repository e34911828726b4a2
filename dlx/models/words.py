"""Word rectangles: words across and down (Knuth, TAOCP 4B, section 7.2.2.1: XCC problems)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from dlx.build import in_order
from dlx.checks import as_flag, as_list, as_text, at_least, brief
from dlx.errors import ProblemError
from dlx.models.model import Model, Options, Square, Squares, check_entries
from dlx.models.shapes import box
from dlx.problem import Coloured, Problem


def word_rectangle(
    rows: int, columns: int, words: Iterable[str], *, repeats: bool = False
) -> Model:
    """Fill a rectangle with letters so that each row and each column is a word.

    The cells are secondary items, their letters the colours.

    Parameters
    ----------
    rows, columns : int
    words : iterable of str
        Those of other lengths are left out. Words in a set are sorted.
    repeats : bool
        Whether a word may come several times.

    Raises
    ------
    ProblemError
        `words` is not an iterable of texts, `rows` or `columns` is below 1 or not a whole number,
        `repeats` is neither true nor false, or the problem would be too large.

    Examples
    --------
    >>> from dlx import models, solve
    >>> model = models.word_rectangle(2, 3, "ton are ta or ne".split())
    >>> print(model.text(solve(model.problem)), end="")
    t o n
    a r e
    """
    repeats = as_flag(repeats, "repeats")
    if isinstance(words, str):
        raise ProblemError(f"words is {brief(words)}; it must be a list of texts")
    listed = as_list(in_order(words), "words", "texts")
    distinct = list(dict.fromkeys(as_text(word, "a word") for word in listed))
    rows, columns = at_least(rows, 1, "rows"), at_least(columns, 1, "columns")
    across, down = (sum(len(word) == n for word in distinct) for n in (columns, rows))
    entries = rows * columns * (1 + across + down)
    check_entries(entries, "rows times columns", rows * columns)
    lines = [("across", row) for row in range(rows)] + [("down", c) for c in range(columns)]
    lengths = {"across": columns, "down": rows}
    options: list[list[Hashable]] = []
    for line in lines:
        direction, number = line
        for word in distinct:
            if len(word) == lengths[direction]:
                places = [
                    (number, i) if direction == "across" else (i, number) for i in range(len(word))
                ]
                letters = [
                    Coloured(cell, letter) for cell, letter in zip(places, word, strict=True)
                ]
                options.append([line, *letters] if repeats else [line, ("word", word), *letters])
    word_items = [] if repeats else [("word", word) for word in distinct]
    cells: list[Hashable] = [*box(rows, columns)]
    return Model(Problem(options, primary=lines, secondary=[*cells, *word_items]), _letters)


def _letters(chosen: Options) -> Squares:
    """Return the letters of the rectangle."""
    letters = (entry for option in chosen for entry in option if isinstance(entry, Coloured))
    return {entry.item: Square(None, str(entry.colour)) for entry in letters}  # type: ignore[misc]
