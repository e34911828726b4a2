"""The answers to puzzles in every format that the command writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from sudoku.render import encoded
from sudoku.shell.command import Output, Sheets
from sudoku.writing.texts import lines, quoted, render_all, substitute_all, texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudoku.batch import Batch
    from sudoku.solving.batch_search import BatchSearch

__all__ = ["FORMATS", "Printer"]

FORMATS = ("line", "grid", "pretty", "json", "csv", "svg")

NONE = "no solution"

WORDS = ("none", "unique", "several")


class Printer:
    """Writes the answers to the puzzles of one batch.

    Answers of a batch search come all at once, by ``batch_answers``; those of a search of one
    puzzle by ``begin``, ``solutions`` as often as there are some, and ``end``.

    Args:
        ask: as in Task.
        form: as in Task.
        printed_grid: whether a grid was printed before, from which the next is set apart.
        sheets: take pictures.
    """

    def __init__(
        self,
        ask: str,
        form: str | None,
        batch: Batch,
        output: Output,
        printed_grid: bool,
        sheets: Sheets,
    ) -> None:
        self.sheets = sheets
        self.ask, self.batch, self.output, self.printed_grid = ask, batch, output, printed_grid
        self.in_shape = form is None and ask in ("solve", "all") and batch.shape == "grid"
        self.form = form or (batch.shape if ask in ("solve", "all") else "line")
        self._parts: list[bytes] = []
        self._listed = 0  # solutions of the present puzzle that were written
        if self.form == "csv" and not output.written:
            column = {"count": "count", "check": "check"}.get(ask, "solution")
            self._write(f"puzzle,{column}\n")

    def flush(self) -> None:
        """Hand on what was gathered."""
        parts, self._parts = self._parts, []
        if parts:
            self.output.write(b"".join(parts))

    def batch_answers(self, search: BatchSearch, start: int, end: int) -> None:
        """The answers of a BatchSearch to the puzzles from ``start`` to before ``end``."""
        if start == end:
            return
        self._listed = 0
        if self.form == "json":
            self._json_rows(search, start, end)
        elif self.form == "csv":
            self._csv_rows(search, start, end)
        elif self.ask != "solve":
            self._write("".join([f"{answer}\n" for answer in self._answers(search, start, end)]))
        elif self.form == "svg":
            for index in range(start, end):
                solved = search.counts[index] > 0
                self._draw(index, search.solutions[index] if solved else self._values(index))
        elif self.form == "line" and (search.counts[start:end] > 0).all():
            self._parts.append(lines(search.solutions[start:end], self.batch.symbols))
        else:
            bodies = self._bodies(range(start, end), search.solutions[start:end])
            for offset in (search.counts[start:end] == 0).nonzero()[0].tolist():
                bodies[offset] = encoded(self._none(start + offset))
            self._put(range(start, end), bodies)

    def begin(self, index: int) -> None:
        """Before the solutions of a puzzle."""
        self._listed = 0
        if self.form == "json":
            (puzzle,) = quoted(self._cells(index), self.batch.symbols)
            self._write(f'{{"puzzle": {puzzle}, "solutions": [')

    def solutions(self, index: int, found: NDArray[np.uint8]) -> None:
        """Some solutions, uint8[m, cells]."""
        if not len(found):
            return
        symbols = self.batch.symbols
        if self.form == "line":
            self._parts.append(lines(found, symbols))
        elif self.form == "json":
            self._write(", " * bool(self._listed) + ", ".join(quoted(found, symbols)))
        elif self.form == "csv":
            (puzzle,) = texts(self._cells(index), symbols)
            self._write("".join([f"{puzzle},{text}\n" for text in texts(found, symbols)]))
        elif self.form == "svg":
            for values in found:
                self._draw(index, values)
        else:
            indices = [index] * len(found)
            self._put(indices, self._bodies(indices, found))
        self._listed += len(found)

    def end(self, index: int, count: int, exact: bool, nodes: int, cut: bool = False) -> None:
        """After the solutions of a puzzle: what is to be said on all of them.

        ``exact``: there are no more than ``count``; ``cut``: neither that nor a limit ended it.
        """
        if self.form == "json":
            self._write(str(nodes).join(_json_tail(count, exact)))
        elif self.ask == "count":
            answer = f">= {count}" if cut else f"{count}"
            self._write(self._row(index, answer) if self.form == "csv" else f"{answer}\n")
        elif count == 0 and exact:
            if self.form == "csv":
                self._write(self._row(index, ""))
            elif self.form == "svg":
                self._draw(index, self._values(index))
            else:
                self._put([index], [encoded(self._none(index))])

    # -- JSON and CSV

    def _json_rows(self, search: BatchSearch, start: int, end: int) -> None:
        symbols, counts = self.batch.symbols, search.counts[start:end].tolist()
        if self.ask == "solve":
            solutions = quoted(search.solutions[start:end], symbols)
        else:
            solutions = [""] * len(counts)
        tails = {count: _json_tail(count, count < search.limit) for count in set(counts)}
        rows = zip(
            quoted(search.puzzles[start:end], symbols),
            solutions,
            counts,
            search.nodes[start:end].tolist(),
            strict=True,
        )
        objects = [
            f'{{"puzzle": {puzzle}, "solutions": [{solution if count else ""}'
            f"{tails[count][0]}{nodes}{tails[count][1]}"
            for puzzle, solution, count, nodes in rows
        ]
        self._write("".join(objects))

    def _csv_rows(self, search: BatchSearch, start: int, end: int) -> None:
        puzzles = texts(search.puzzles[start:end], self.batch.symbols)
        rows = zip(puzzles, self._answers(search, start, end), strict=True)
        self._write("".join([f"{puzzle},{answer}\n" for puzzle, answer in rows]))

    def _answers(self, search: BatchSearch, start: int, end: int) -> list[str]:
        """In a word: how many, whether unique, or the first solution, if there is one."""
        counts: list[int] = search.counts[start:end].tolist()
        if self.ask == "count":
            return [str(count) for count in counts]
        if self.ask == "check":
            return [WORDS[count] for count in counts]
        solutions = texts(search.solutions[start:end], self.batch.symbols)
        return [text if count else "" for text, count in zip(solutions, counts, strict=True)]

    def _row(self, index: int, answer: str) -> str:
        return f"{self.batch.symbols.text(self._values(index))},{answer}\n"

    # -- lines, grids and pictures

    def _bodies(self, indices: Sequence[int], grids: NDArray[np.uint8]) -> list[bytes]:
        """A grid, uint8[k, cells], for each puzzle as text without what stands above it."""
        batch = self.batch
        if self.form == "line":
            return [encoded(text + "\n") for text in texts(grids, batch.symbols)]
        if not self.in_shape:
            return render_all(grids, batch.layout, batch.symbols, self.form)
        bodies: list[bytes] = []
        for _, group in groupby(indices, lambda index: id(batch.grid_texts[index])):
            alike = list(group)
            part = grids[len(bodies) : len(bodies) + len(alike)]
            bodies += substitute_all(batch.grid_texts[alike[0]], part, batch.symbols)
        return bodies

    def _put(self, indices: Sequence[int], bodies: list[bytes]) -> None:
        """Write texts, one a puzzle, each with what stands above it, or apart from the last."""
        last = indices[0] if self._listed else -1
        for index, body in zip(indices, bodies, strict=True):
            if self.in_shape:
                header = self.batch.headers[index]
                apart = index == last and not header.startswith("\n")
                self._parts.append(encoded("\n" * apart + header))
                last = index
            elif self.form != "line":
                self._parts.append(b"\n" * self.printed_grid)
                self.printed_grid = True
            self._parts.append(body)

    def _draw(self, index: int, values: Sequence[int] | NDArray[np.uint8]) -> None:
        from sudoku.grid import Grid
        from sudoku.writing.picture import svg

        layout, symbols = self.batch.layout, self.batch.symbols
        puzzle, solution = (
            Grid(layout, list(cells), symbols)  # type: ignore[arg-type]
            for cells in (self._values(index), values)
        )
        self.sheets.add(svg(puzzle, solution=solution))

    def _none(self, index: int) -> str:
        from sudoku.solving.contradiction import clash

        reason = clash(self._values(index), self.batch.layout, self.batch.symbols)
        return f"{NONE}: {reason}\n" if reason else f"{NONE}\n"

    def _values(self, index: int) -> bytes:
        cells = self.batch.layout.cells
        return self.batch.values[index * cells : (index + 1) * cells]

    def _cells(self, index: int) -> NDArray[np.uint8]:
        import numpy as np

        return np.frombuffer(self._values(index), dtype=np.uint8)[None]

    def _write(self, text: str) -> None:
        self._parts.append(encoded(text))


def _json_tail(count: int, exact: bool) -> tuple[str, str]:
    """What follows the solutions of a puzzle, before and after the number of nodes."""
    unique = count == 1 if exact or count > 1 else None
    before = {"count": count, "unique": unique}
    return "], " + json.dumps(before)[1:-1] + ', "nodes": ', f', "exact": {json.dumps(exact)}}}\n'
