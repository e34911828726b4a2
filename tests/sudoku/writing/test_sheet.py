"""Pages to print."""

import re
import signal
from pathlib import Path

import pytest

import sudoku
from sudoku.shell.printer import Printer
from sudoku.writing.sheet import Sheets
from tests.sudoku.commands import ANSWER, NONE, SEVERAL, UNIQUE


def digits(picture):
    return "".join(re.findall(r"<text[^>]*>(\d)<", picture))


def test_solutions_are_on_the_back_of_their_sheet(run_dlx):
    page = run_dlx("\n".join([UNIQUE, SEVERAL, NONE, UNIQUE, UNIQUE]), "--sheet", "1x2").out
    sides = page.split("<section>")[1:]
    assert [side.count("<figure>") for side in sides] == [2, 2, 2, 2, 1, 1]
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert captions == [
        *("1", "2", "1", "2: one of several", "3", "4", "3: no solution", "4", "5", "5")
    ]
    pictures = page.split("<figure>")[1:]
    assert digits(pictures[0]) == UNIQUE.replace("0", "") and digits(pictures[2]) == ANSWER
    assert "size:297mm 210mm" in page and page.endswith("</body></html>\n")


def test_layouts_and_candidates_are_drawn(run_dlx):
    grid = sudoku.Grid(sudoku.Layout(2, 2), [0] * 16, candidates=[3, 12] * 8)
    page = run_dlx(format(grid, "pretty"), "--sheet", "3x2").out
    assert page.count('class="mark"') == 32 and "size:210mm 297mm" in page


def test_a_page_without_puzzles():
    assert Sheets(2, 2).end().count("<section>") == 0


def test_after_ctrl_c_the_page_has_the_puzzles_answered_and_its_end(run_dlx, monkeypatch):
    start, calls = Printer.start, []

    def interrupted_at_the_second(self, batch):
        calls.append(batch)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        start(self, batch)

    monkeypatch.setattr(Printer, "start", interrupted_at_the_second)
    other_size = "1.........2....3"
    result = run_dlx(f"{UNIQUE}\n{UNIQUE}\n{other_size}\n", "--sheet", "2x2", "-o", "out")
    assert result.status == 130 and "interrupted: puzzles 2, " in result.err
    page = Path("out.partial").read_text()
    assert page.count("<figure>") == 4 and page.endswith("</section>\n</body></html>\n")


@pytest.mark.parametrize(
    "options", [["0x2"], ["2"], ["2x"], ["20x20"], ["2x2", "--count"], ["2x2", "--format", "line"]]
)
def test_wrong_sizes_of_sheets_are_refused(run_dlx, options):
    result = run_dlx(UNIQUE, "--sheet", *options)
    assert (result.status, result.out) == (2, "")
