"""The display of objects in a notebook, and their repr."""

from xml.etree import ElementTree

import dlx
import sudoku
from dlx import models
from dlx.logic import Deducer
from sudoku.explain.rating import columns, rate_batch

PUZZLE = "1..4 ..2. .1.. 4..."


def test_a_grid_and_steps_show_pictures() -> None:
    steps = sudoku.solve_steps(PUZZLE)
    assert repr(steps).endswith("not at the end, now 1..4..2..1..4...>")
    step = next(steps)
    for shown in (sudoku.as_grid(PUZZLE), steps, step):
        assert ElementTree.fromstring(shown._repr_svg_()).tag.endswith("svg")
    assert "found" in steps._repr_svg_().partition("</style>")[2]
    assert repr(step) == f"<Step: {step.text}>"
    assert step.text in step._repr_html_() and step._repr_svg_() in step._repr_html_()
    assert "unique" not in repr(steps)
    assert len(list(steps)) == 10 and "unique" in repr(steps)


def test_texts_of_a_step_are_escaped() -> None:
    step = next(sudoku.solve_steps("<..d ..&. .<.. d...", symbols="<&cd"))
    assert "<." not in step._repr_html_() and "&lt;" in step._repr_html_()


def test_a_rating_shows_a_table_and_many_are_columns() -> None:
    rating = sudoku.rate(PUZZLE)
    table = ElementTree.fromstring(rating._repr_html_())
    cells = {row[0].text: row[1].text for row in table}
    assert cells == {"score": "1.2", "outcome": "unique", "hidden single": "11"}
    found = columns(rate_batch([PUZZLE, "." * 16]))
    assert found == {
        "score": [1.2, 0.0],
        "hardest": ["hidden single", ""],
        "level": [0, -1],
        "steps": [11, 0],
        "outcome": ["unique", "several solutions"],
    }
    assert columns([]) == {name: [] for name in found}


def test_solutions_show_their_options() -> None:
    found = dlx.solution_set([["a", "<b>"], ["c"], ["a"], ["<b>", "c"]])
    assert found._repr_html_() == (
        '<p>2 solutions</p><ol start="0"><li>(a &lt;b&gt;) (c)</li><li>(a) (&lt;b&gt; c)</li></ol>'
    )
    many = dlx.solution_set(models.queens(6).problem)
    assert "more" not in many._repr_html_()
    assert "... and 30 more" in dlx.solution_set(models.queens(7).problem)._repr_html_()


def test_a_solution_of_a_model_shows_its_board() -> None:
    model = models.queens(4)
    shown = model.show(iter(dlx.solve(model.problem) or ()))
    assert repr(shown) == ". Q . .\n. . . Q\nQ . . .\n. . Q ."
    assert ElementTree.fromstring(shown._repr_svg_()).tag.endswith("svg")
    assert repr(model).startswith("<Model of Problem(")


def test_objects_have_a_short_repr() -> None:
    count = dlx.Count([[0, 1], [2], [0], [1, 2]])
    assert repr(count).endswith("ready, 0 solutions>")
    count.count()
    assert repr(count).endswith("exhausted, 2 solutions>")
    assert repr(dlx.Count([[0]], limit=1)).endswith("0 solutions>")
    cheapest = dlx.improving(dlx.Problem([["a"], ["a"]], costs=[3, 2]))
    shown = "<CheapestSearch of Problem(1 primary items, 2 options, 2 entries"
    assert repr(cheapest).startswith(shown)
    assert repr(cheapest).endswith(": ready, nothing found>")
    list(cheapest)
    assert repr(cheapest).endswith(": exhausted, best 2>")
    deducer = Deducer([["a"], ["a", "b"], ["b"]])
    assert repr(deducer).endswith("2 primary items, 3 options, 4 entries): open, 3 left>")
