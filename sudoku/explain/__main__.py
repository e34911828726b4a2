"""Explain puzzles step by step, or rate them: ``python -m sudoku.explain [FILE ...]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sudoku.shell.arguments import Parser

__all__ = ["main", "script"]


def _parser() -> Parser:
    from sudoku.shell import arguments

    parser = arguments.Parser(
        prog="python -m sudoku.explain",
        description="Solve sudoku puzzles as a person would, easiest steps first, and say why "
        "each step is right. Files and symbols are read as by sudoku.dlx.",
        epilog="Exit status: 0 every puzzle has one solution, 1 some have not, 2 bad input or "
        "usage, 130 Ctrl-C. With html and svg, more than one puzzle goes to numbered files.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--hint", action="store_true", help="the next step only")
    what.add_argument("--rate", action="store_true", help="how hard: one line a puzzle")
    what.add_argument(
        "--summary",
        action="store_true",
        help="of each file, what share of the puzzles each level of techniques solves",
    )
    what.add_argument(
        "--techniques", action="store_true", help="the table of techniques and their weights"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "html", "svg"),
        default="text",
        help="json: one object a step, the last of a puzzle with the outcome, or step 0 if there "
        "is none to make (with --rate, one a puzzle); html: a page to go through the steps; svg: "
        "with --hint, a picture of the step",
    )
    parser.add_argument(
        "--uniqueness",
        action="store_true",
        help="also use steps that assume that there is exactly one solution",
    )
    parser.add_argument("--hardest", metavar="T", help="use no technique harder than T; then guess")
    arguments.add_puzzles(parser)
    arguments.add_handling(parser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    try:
        from sudoku.shell import command

        return command.run(lambda: _explain(_parser(), argv))
    except KeyboardInterrupt:  # before anything was begun
        return 130


def script() -> NoReturn:
    """``main`` as a process."""
    status = main()
    from sudoku.shell import command

    command.end(status)


def _explain(parser: Parser, argv: Sequence[str] | None) -> int:
    from sudoku.explain.account import Account
    from sudoku.shell import command
    from sudoku.shell.input import Puzzles

    options = parser.parse_args(argv)
    _check(parser, options)
    if options.techniques:
        from sudoku.explain.techniques import table

        with command.Output(options.output) as output:
            output.write(table().encode())
        return 0
    puzzles = Puzzles(options)
    progress = command.Progress(options.quiet)
    with Account(options, progress, puzzles.sources) as account:
        try:
            for batch in puzzles:
                account.work(batch)
        except KeyboardInterrupt:
            progress.clear()
            account.flush()
            command.tell(f"interrupted: {account.summary(puzzles.bad)}")
            raise
        progress.clear()
        if puzzles.refused:
            account.discard()
            return command.BAD_INPUT
        account.finish()
    if not options.quiet:
        command.tell(account.summary(puzzles.bad))
    return 1 if puzzles.bad or account.several or account.none else 0


def _check(parser: Parser, options: argparse.Namespace) -> None:
    """Refuse what does not go together."""
    asked = "--rate" if options.rate else "--summary" if options.summary else ""
    if asked and options.format in ("html", "svg"):
        parser.error(f"{asked} has no {options.format}: the formats are text and json")
    if options.summary and options.format == "json":
        parser.error("--summary has no json: use --rate --format json")
    if options.format == "svg" and not options.hint:
        parser.error("--format svg draws one step: use it with --hint, or html for all steps")


if __name__ == "__main__":
    script()
