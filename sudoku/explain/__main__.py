"""The command ``python -m sudoku.explain [FILE ...]``, which explains or rates puzzles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlx.shell.command import end_process, run_command
from sudoku.errors import SudokuError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from dlx.shell.arguments import Parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process); return its status."""
    return run_command(lambda: _command(arguments), SudokuError)


def _command(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_with_files(arguments)
    _refuse(parser, options)
    from sudoku.explain.techniques import TECHNIQUES, parse_techniques, table
    from sudoku.reading.sources import label_of, whole_text

    file = options.weights
    techniques = TECHNIQUES if file is None else parse_techniques(whole_text(file), label_of(file))
    if options.techniques:
        from sudoku.shell.output import Output

        with Output(options.output) as output:
            output.write(table(techniques).encode())
        return 0
    from sudoku.explain.command import ExplainCommand

    return ExplainCommand(options, techniques).run()


def _refuse(parser: Parser, options: argparse.Namespace) -> None:
    """Report options that exclude each other or have no effect."""
    if options.techniques:
        if options.files:
            parser.error("FILE has no effect with --techniques")
        ignored = ("--format", "--uniqueness", "--hardest", "--symbols", "--skip-bad")
        layout = ("--diagonal", "--box", "--layout", "--regions")
        parser.refuse(options, "--techniques", (*ignored, *layout, "--jobs", "--time-limit"))
    if options.summary and options.format not in (None, "text"):
        parser.error(f"--summary has no --format {options.format}: use --rate --format json")
    if options.rate and options.format in ("html", "svg"):
        parser.error(f"--rate has no --format {options.format}: use text or json")
    if options.format == "svg" and not options.hint:
        parser.error("--format svg draws one step: use it with --hint, or use html for all steps")


def _parser() -> Parser:
    from dlx.shell.arguments import Parser
    from sudoku.shell.arguments import add_puzzles, add_work

    parser = Parser(
        prog="python -m sudoku.explain",
        description="Solve sudoku puzzles by logic, easiest steps first, and say why each step is "
        "right. Puzzles are read as by sudoku.dlx.",
        epilog="Exit status: 0 if every puzzle has exactly one solution, 1 if not or at the time "
        "limit, 2 for bad input or usage, 130 for Ctrl-C, 143 for SIGTERM. With html and svg, "
        "several puzzles go to numbered files.",
    )
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--hint", action="store_true", help="print the next step only")
    actions.add_argument(
        "--rate", action="store_true", help="print the difficulty of each puzzle on a line"
    )
    actions.add_argument(
        "--summary",
        action="store_true",
        help="print for each file the share of puzzles that each level of techniques solves",
    )
    actions.add_argument(
        "--techniques", action="store_true", help="print the techniques and their weights"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "html", "svg"),
        help="text: the default; json: an object for each step, the last of a puzzle with the "
        "outcome, or an object for step 0 if there is no step (with --rate: an object for each "
        "puzzle); html: a page to go through the steps; svg: with --hint, a picture of the step",
    )
    parser.add_argument(
        "--uniqueness",
        action="store_true",
        help="also use steps that assume that there is exactly one solution",
    )
    parser.add_argument("--hardest", metavar="T", help="use no technique harder than T, then guess")
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help="which techniques to use, in which order, and their weights: a weight and a technique "
        "on each line, weights ascending",
    )
    time_limit = "stop after the puzzle that is being explained after S seconds"
    add_work(parser, time_limit, "one; with --rate and --summary ")
    add_puzzles(parser)
    return parser


if __name__ == "__main__":
    end_process(main())
