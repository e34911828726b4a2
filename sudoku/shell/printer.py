"""The answers of the command ``sudoku.dlx`` in each of its formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from sudoku.shell.output import Output
from sudoku.solving.contradiction import candidate_masks, clash, dead_end
from sudoku.symbols import digits_of
from sudoku.writing import fpuzzles
from sudoku.writing.texts import FORMS, encoded, lines, quoted, render_all, substitute_all, texts

if TYPE_CHECKING:
    from sudoku.batch import Batch
    from sudoku.grid import Grid
    from sudoku.solving.batch_search import BatchSearch, Cells
    from sudoku.writing.sheet import Sheets

FORMATS = (*FORMS, "fpuzzles", "json", "csv", "svg")

CHECKED = ("none", "unique", "several")
"""Answers of ``--check``, by number of solutions."""


class Printer:
    """Writes the answers to puzzles.

    After `start` it takes the puzzles of a batch in order: those of a batch search by
    `batch_answers`, one that is searched alone by `begin`, any number of `solutions`, and `end`.
    `question` is as in `SolveCommand`; `form` is one of `FORMATS`, or None for the format that a
    puzzle was read from. With `sheet`, rows and columns, the answers are a page to print.
    """

    batch: Batch

    def __init__(
        self, question: str, form: str | None, output: Output, sheet: tuple[int, int] | None
    ) -> None:
        self.question, self.output = question, output
        self._given_form = "sheet" if sheet else form
        self._sheets: Sheets | None = None
        if sheet:
            from sudoku.writing.sheet import Sheets

            self._sheets = Sheets(*sheet)
        self._parts: list[bytes] = []
        self._solutions = 0  # written of the puzzle that was begun
        self._after_grid = False  # the next grid is set apart by a blank line

    def start(self, batch: Batch) -> None:
        """Take the puzzles of this batch from now on."""
        self.batch = batch
        as_read = self.question in ("solve", "all")
        self.form = self._given_form or (batch.shape if as_read else "line")
        self.in_shape = as_read and self._given_form is None and batch.shape == "grid"
        if self.in_shape and batch.candidates:  # the columns are too wide for digits
            self.form, self.in_shape = "pretty", False
        if self.form == "csv" and not self.output.written:
            self._write(f"puzzle,{'solution' if as_read else self.question}\n")

    def flush(self) -> None:
        """Write the answers taken so far."""
        self.output.write_all(self._parts)

    def finish(self) -> None:
        """Write what follows the answers to all puzzles."""
        if self._sheets:
            self.output.write(encoded(self._sheets.end()))

    def batch_answers(self, search: BatchSearch, start: int, end: int) -> None:
        """Take the answers of a batch search to the puzzles from `start` to before `end`."""
        if start == end:
            return
        self._solutions = 0
        if self.form == "json":
            self._json_rows(search, start, end)
        elif self.form == "csv":
            self._csv_rows(search, start, end)
        elif self.question in ("count", "check"):
            self._write("".join([f"{answer}\n" for answer in self._answers(search, start, end)]))
        elif self.form == "svg":
            for index in range(start, end):
                self._draw(index, search.solutions[index].tolist())
        elif self._sheets:
            for index in range(start, end):
                self._add_to_sheet(self._sheets, index, search)
        elif self.form == "line" and (search.counts[start:end] > 0).all():
            self._parts.append(lines(search.solutions[start:end], self.batch.symbols))
        else:
            bodies = self._bodies(range(start, end), search.solutions[start:end])
            for offset in (search.counts[start:end] == 0).nonzero()[0].tolist():
                bodies[offset] = encoded(self._no_solution(start + offset))
            self._add_grids(range(start, end), bodies)

    def puzzles(self, indices: Sequence[int], grids: Cells) -> None:
        """Take grids, uint8[m, N*N], each written as the puzzle of its index is."""
        self._add_grids(indices, self._bodies(indices, grids))

    def begin(self, index: int) -> None:
        """Start the answer to one puzzle."""
        self._solutions = 0
        if self.form == "json":
            puzzle = json.dumps(self._puzzle(index), ensure_ascii=False)
            self._write(f'{{"puzzle": {puzzle}, "solutions": [')

    def solutions(self, index: int, found: Cells) -> None:
        """Take some solutions of the puzzle, uint8[m, N*N]."""
        if not len(found):
            return
        symbols = self.batch.symbols
        if self.form == "line":
            self._parts.append(lines(found, symbols))
        elif self.form == "json":
            self._write(", " * bool(self._solutions) + ", ".join(quoted(found, symbols)))
        elif self.form == "csv":
            puzzle = self._puzzle(index)
            self._write("".join([f"{puzzle},{text}\n" for text in texts(found, symbols)]))
        elif self.form == "svg":
            for values in found.tolist():
                self._draw(index, values)
        else:
            self.puzzles([index] * len(found), found)
        self._solutions += len(found)

    def end(self, index: int, count: int, exact: bool, nodes: int, cut: bool = False) -> None:
        """Complete the answer to one puzzle.

        `exact`: it has no more than `count` solutions; `cut`: neither that nor a limit ended the
        search.
        """
        if self.form == "json":
            self._write(self._json_end(index, count, exact, nodes))
        elif self.question == "count":
            start = f"{self._puzzle(index)}," if self.form == "csv" else ""
            self._write(f"{start}{'>= ' * cut}{count}\n")
        elif count == 0 and exact:
            if self.form == "csv":
                self._write(f"{self._puzzle(index)},\n")
            elif self.form == "svg":
                self._draw(index)
            else:
                self._add_grids([index], [encoded(self._no_solution(index))])

    # JSON and CSV

    def _json_rows(self, search: BatchSearch, start: int, end: int) -> None:
        symbols, counts = self.batch.symbols, search.counts[start:end].tolist()
        nodes = search.nodes[start:end]
        if self.batch.candidates:
            puzzles = [json.dumps(self._puzzle(k), ensure_ascii=False) for k in range(start, end)]
        else:
            puzzles = quoted(search.puzzles[start:end], symbols)
        solutions = [""] * len(counts)
        if self.question == "solve":
            solutions = quoted(search.solutions[start:end], symbols)
        objects = [
            f'{{"puzzle": {puzzle}, "solutions": [{solution if count else ""}'
            + self._json_end(index, count, count < search.limit, nodes)
            for index, puzzle, solution, count, nodes in zip(
                range(start, end), puzzles, solutions, counts, nodes.tolist(), strict=True
            )
        ]
        self._write("".join(objects))

    def _json_end(self, index: int, count: int, exact: bool, nodes: int) -> str:
        """Return the end of the JSON object of a puzzle, from the end of its solutions on."""
        unique = "null" if count < 2 and not exact else "true" if count == 1 else "false"
        end = f'"nodes": {nodes}, "exact": {"true" if exact else "false"}'
        if not count and exact and self.question in ("solve", "all"):
            end += f', "reason": {json.dumps(self._reason(index) or None, ensure_ascii=False)}'
        return f'], "count": {count}, "unique": {unique}, {end}}}\n'

    def _csv_rows(self, search: BatchSearch, start: int, end: int) -> None:
        if self.batch.candidates:
            puzzles = [self._puzzle(index) for index in range(start, end)]
        else:
            puzzles = texts(search.puzzles[start:end], self.batch.symbols)
        rows = zip(puzzles, self._answers(search, start, end), strict=True)
        self._write("".join([f"{puzzle},{answer}\n" for puzzle, answer in rows]))

    def _answers(self, search: BatchSearch, start: int, end: int) -> list[str]:
        """Return for each puzzle the count, the word of ``--check``, or the first solution."""
        counts: list[int] = search.counts[start:end].tolist()
        if self.question == "count":
            return [str(count) for count in counts]
        if self.question == "check":
            return [CHECKED[count] for count in counts]
        solutions = texts(search.solutions[start:end], self.batch.symbols)
        return [text if count else "" for text, count in zip(solutions, counts, strict=True)]

    # lines, grids and pictures

    def _bodies(self, indices: Sequence[int], grids: Cells) -> list[bytes]:
        """Return a grid for each puzzle as text, without its header."""
        batch = self.batch
        if self.form == "line":
            return [encoded(text + "\n") for text in texts(grids, batch.symbols)]
        if self.form == "fpuzzles":
            return [self._url(index, grid) for index, grid in zip(indices, grids, strict=True)]
        if not self.in_shape:
            return render_all(grids, batch.layout, batch.symbols, self.form)
        bodies: list[bytes] = []
        for _, group in groupby(indices, lambda index: id(batch.grid_texts[index])):
            alike = list(group)
            part = grids[len(bodies) : len(bodies) + len(alike)]
            bodies += substitute_all(batch.grid_texts[alike[0]], part, batch.symbols)
        return bodies

    def _add_grids(self, indices: Sequence[int], bodies: list[bytes]) -> None:
        """Take one text for each puzzle, below its header or a blank line.

        A header that begins with a blank line sets the grid apart from the one before.
        """
        last = indices[0] if self._solutions else -1
        for index, body in zip(indices, bodies, strict=True):
            if self.in_shape:
                header = self.batch.headers[index]
                if not self._parts and not self.output.written:  # a bad puzzle was above it
                    header = header.removeprefix("\n")
                blank_line = index == last and not header.startswith("\n")
                self._parts.append(encoded("\n" * blank_line + header))
                last = index
            elif self.form not in ("line", "fpuzzles"):
                self._parts.append(b"\n" * self._after_grid)
                self._after_grid = True
            self._parts.append(body)

    def _add_to_sheet(self, sheets: Sheets, index: int, search: BatchSearch) -> None:
        from sudoku.writing.picture import Marks

        grid, found = self._grid(index), search.solutions[index].tolist()
        marks = None if grid.candidates is None else Marks(digits_of(candidate_masks(grid)))
        description = int(search.counts[index]), grid.layout, grid.symbols
        self._write(sheets.add(grid.digits, found, *description, marks))

    def _draw(self, index: int, found: Sequence[int] = ()) -> None:
        from sudoku.writing.picture import svg

        grid = self._grid(index)
        self.output.add_picture(svg(grid.digits, grid.layout, grid.symbols, found=found))

    def _url(self, index: int, found: Cells) -> bytes:
        puzzle = self._grid(index)
        masks = [] if puzzle.candidates is None else puzzle.candidates.reshape(-1).tolist()
        return encoded(fpuzzles.url(puzzle.digits, puzzle.layout, found.tolist(), masks) + "\n")

    def _no_solution(self, index: int) -> str:
        reason = self._reason(index)
        return f"no solution: {reason}\n" if reason else "no solution\n"

    def _reason(self, index: int) -> str:
        """Return why a puzzle has no solution, "" if it takes a search to see that."""
        batch, cells = self.batch, self.batch.layout.cells
        values = batch.values[index * cells : (index + 1) * cells]  # faster than a Grid
        return clash(values, batch.layout, batch.symbols) or dead_end(self._grid(index))

    def _grid(self, index: int) -> Grid:
        from sudoku.reading.convert import grid_of

        return grid_of(self.batch, index)

    def _puzzle(self, index: int) -> str:
        return format(self._grid(index), "line")

    def _write(self, text: str) -> None:
        self._parts.append(encoded(text))
