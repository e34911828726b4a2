"""The stepping page in headless Chromium: buttons, keys, touch, a phone, a wide window; pictures.

Debian's package is `chromium`; the environment variable CHROMIUM names another one. Without a
browser these tests are skipped, and the summary says so; with BROWSER_REQUIRED=1, which the gate
sets, they fail.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sudoku.explain.report import conclusion
from sudoku.explain.solve_steps import solve_steps
from sudoku.writing.page import page

WING = "3..2.9.4.9.6...2.1.7...43.....84.9.....7.....6......38..2.3......3.8.1.28..9.1..."
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
PICTURES = sorted((Path(__file__).parents[3] / "docs" / "pictures").glob("*.svg"))
OUTSIDE = """() => {
  const frame = document.documentElement.getBoundingClientRect();
  return [...document.querySelectorAll("text, rect, path, circle, polygon")].filter(e => {
    const b = e.getBoundingClientRect();
    return b.width > 0 && (b.left < frame.left - 2 || b.right > frame.right + 2
      || b.top < frame.top - 2 || b.bottom > frame.bottom + 2);
  }).map(e => e.tagName + " " + e.textContent);
}"""
"""A script that returns the elements of a picture that its frame cuts off."""
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    steps = solve_steps(WING)
    found = list(steps)
    puzzle = steps.puzzle
    values = puzzle.values.reshape(-1).tolist()
    shown = [(step.text, step.marks) for step in found]
    text = page(values, puzzle.layout, puzzle.symbols, shown, conclusion(steps, found))
    path = tmp_path_factory.mktemp("page") / "steps.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None
    if sync_playwright is None or CHROMIUM is None:
        missing = "playwright" if sync_playwright is None else "Chromium"
        reason = f"NO BROWSER: the page of steps is not tested, as {missing} is not installed"
        if os.environ.get("BROWSER_REQUIRED"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def view(browser: Any, file: Path) -> Iterator[Any]:
    """A function that opens the page; a test with an error of the script in the page fails."""
    contexts, errors = [], []

    def show(size: dict[str, int] = WIDE, fragment: str = "", **settings: Any) -> Any:
        context = browser.new_context(viewport=size, **settings)
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("request", lambda request: errors.extend([request.url][: request.url[:4] == "http"]))
        tab.goto(f"{file.as_uri()}{fragment}")
        return tab

    yield show
    for context in contexts:
        context.close()
    assert errors == []


def heading(tab: Any) -> str:
    return tab.inner_text("#text b")


def found(tab: Any) -> int:
    """How many digits that are no givens the page shows."""
    return tab.locator("svg text.found:not(.none)").count()


def disabled(tab: Any) -> list[str]:
    return tab.eval_on_selector_all("nav button:disabled", "all => all.map(e => e.id)")


def test_buttons_of_the_page(view: Any) -> None:
    tab = view()
    steps = tab.locator("li").count()
    assert (heading(tab), found(tab)) == (f"Step 1 of {steps}", 1)
    assert disabled(tab) == ["first", "back"]
    tab.click("#next")
    assert (heading(tab), found(tab)) == (f"Step 2 of {steps}", 2)
    assert disabled(tab) == []
    tab.click("#back")
    assert (heading(tab), found(tab)) == (f"Step 1 of {steps}", 1)
    tab.click("#last")
    assert (heading(tab), found(tab)) == (f"After {steps} steps", WING.count("."))
    assert disabled(tab) == ["next", "last"]
    assert "Solved in" in tab.inner_text("#text")
    tab.click("#first")
    assert (heading(tab), found(tab)) == (f"Step 1 of {steps}", 1)


def test_keys_of_the_page(view: Any) -> None:
    tab = view()
    steps = tab.locator("li").count()
    for key, expected in (
        ("ArrowLeft", f"Step 1 of {steps}"),
        ("ArrowRight", f"Step 2 of {steps}"),
        ("End", f"After {steps} steps"),
        ("ArrowRight", f"After {steps} steps"),
        ("ArrowLeft", f"Step {steps} of {steps}"),
        ("Home", f"Step 1 of {steps}"),
        ("Control+ArrowRight", f"Step 1 of {steps}"),
    ):
        tab.keyboard.press(key)
        assert heading(tab) == expected, key


def test_a_step_shows_its_pattern_and_what_it_deletes(view: Any) -> None:
    tab = view()
    wing = tab.eval_on_selector_all(
        "li", "all => all.findIndex(e => e.textContent.startsWith('X-wing'))"
    )
    assert wing > 0
    tab.click("summary")
    tab.click(f"li:nth-child({wing + 1}) button")
    assert heading(tab).startswith(f"Step {wing + 1} of")
    assert tab.get_attribute(f"li:nth-child({wing + 1})", "aria-current") == "step"
    assert tab.locator("svg .one:not(.none)").count() == 4
    gone = tab.locator("svg .gone:not(.none)")
    marks = tab.locator("svg .mark:not(.none)")
    number, deleted = marks.count(), gone.count()
    assert deleted >= 1
    assert gone.first.locator("path").is_visible()
    tab.click("#next")
    assert marks.count() == number - deleted


def test_an_address_names_a_step(view: Any) -> None:
    assert heading(view(fragment="#12")).startswith("Step 12 of")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_sizes_and_colours(view: Any, size: dict[str, int], scheme: str) -> None:
    """Nothing is wider than the window, the grid and the buttons are in it, text can be read."""
    tab = view(size, color_scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
    for element in ("svg", "#next"):
        at = tab.locator(element).bounding_box()
        assert at["x"] >= 0 and at["x"] + at["width"] <= size["width"]
        assert at["y"] + at["height"] <= size["height"]
    assert tab.locator("#next").bounding_box()["height"] >= 44  # enough for a finger
    colours = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    text, back = (_brightness(c) for c in tab.eval_on_selector("body", colours))
    assert (text < back) == (scheme == "light") and abs(text - back) > 150
    paper = tab.eval_on_selector("svg .paper", "e => getComputedStyle(e).fill")
    given = tab.eval_on_selector("svg .given", "e => getComputedStyle(e).fill")
    assert abs(_brightness(paper) - _brightness(given)) > 150


def test_steps_are_changed_by_touch(view: Any) -> None:
    tab = view(PHONE, has_touch=True, is_mobile=True)
    tab.tap("#next")
    tab.tap("#next")
    assert heading(tab).startswith("Step 3 of")
    tab.tap("#back")
    assert heading(tab).startswith("Step 2 of")
    tab.tap("summary")
    tab.tap("li:nth-child(5) button")
    assert heading(tab).startswith("Step 5 of")
    assert tab.evaluate("scrollY") == 0


def _brightness(colour: str) -> float:
    """Of ``rgb(1, 2, 3)``, from 0 to 255."""
    red, green, blue = map(int, colour[colour.index("(") + 1 : -1].split(",")[:3])
    return 0.3 * red + 0.6 * green + 0.1 * blue


def test_no_picture_of_the_documents_is_cut_off(browser: Any) -> None:
    assert len(PICTURES) > 10
    with browser.new_page() as opened:
        for path in PICTURES:
            opened.goto(path.as_uri())
            assert (path.name, opened.evaluate(OUTSIDE)) == (path.name, [])
