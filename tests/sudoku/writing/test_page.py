"""The page that goes through the steps of a puzzle."""

import json
import re
from xml.etree import ElementTree

from sudoku.explain.solve_steps import solve_steps
from sudoku.symbols import Symbols
from sudoku.writing.page import page

WING = "3..2.9.4.9.6...2.1.7...43.....84.9.....7.....6......38..2.3......3.8.1.28..9.1..."


def test_a_page_needs_no_other_file():
    steps = solve_steps(WING)
    found = list(steps)
    puzzle = steps.puzzle
    about = puzzle.values.reshape(-1).tolist(), puzzle.layout, puzzle.symbols
    text = page(*about, [(step.text, step.marks) for step in found], "Solved.")
    assert not re.search(r"(src|href|url)\s*[=(]", text) and "@import" not in text
    data = json.loads(re.search(r'<script id="steps"[^>]*>(.*?)</script>', text, re.S)[1])
    assert len(data["steps"]) == len(found) and data["end"] == "Solved."
    drawing = re.search(r"<svg.*?</svg>", text, re.S)[0]
    # the script finds cells and marks by their place
    backs, texts_ = [g for g in ElementTree.fromstring(drawing) if g.tag.endswith("}g")]
    assert len(backs) == 81 and len(texts_) == 81 * 10
    assert text.count("<li>") == len(found)


def test_symbols_are_no_markup_of_the_script():
    # "<!--" and "<script" would keep the element open, "</script" would end it
    steps = solve_steps(["a..d", "..b.", ".a..", "d..."], symbols="abcd")
    names = Symbols(("<!--", "<script>", "</script>", "d"))
    values = steps.puzzle.values.reshape(-1).tolist()
    text = page(values, steps.puzzle.layout, names, [(s.text, s.marks) for s in steps], "Solved.")
    data = re.search(r'<script id="steps"[^>]*>(.*?)</script>', text, re.S)[1]
    assert "<" not in data and json.loads(data)["names"] == list(names.names)
