"""The command: python -m dlx.models MODEL [parameters].

Arguments are parsed, and errors in them found, before numba is imported.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from dlx.checks import digits, solutions_text
from dlx.errors import DlxError
from dlx.shell.arguments import Parser, at_least
from dlx.shell.command import FOUND, NONE, end_process, run_command
from dlx.shell.interrupt import interruptible
from dlx.shell.output import Output, print_message, show_compilation

if TYPE_CHECKING:
    from dlx.models.catalogue import Entry
    from dlx.models.model import Model
    from dlx.problem import Problem

FORMATS = ("text", "svg", "dlx")
OF_THE_SOLVER = (
    *("--all", "--best", "--estimate", "--jobs", "--kernel", "--ledger", "--limit", "--method"),
    *("--sample", "--spill", "--time-limit", "--to"),
)
"""Options of ``python -m dlx`` that are sought here, too."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0, or 1 if there is no such solution.
    """

    def body() -> int:
        parser = _parser()
        args, unknown = parser.parse_known_args(arguments)
        if unknown:
            text = f"unrecognized arguments: {' '.join(unknown)}"
            if args.model is not None and unknown[0] in OF_THE_SOLVER:
                solver = f"python -m dlx.models {args.model} --format dlx | python -m dlx -"
                parser.error(f"{text}; it is an option of {solver}")
            parser.error(f"{text}; those of a model follow its name, as in queens --n 8")
        if args.list and args.model is not None:
            args.parser.error("--list names all models: leave out the model")
        if args.model is None:
            with Output(None) as output:
                output.write(_listing().encode())
            return FOUND
        if args.count:
            args.parser.refuse(args, "--count", ("--format", "--index"))
        if args.format == "dlx":
            args.parser.refuse(args, "--format dlx", ("--index",))
        if sys.stderr is not None and sys.stderr.isatty():
            show_compilation()
        with Output(args.output) as output, interruptible(lambda: None, lambda: _leave(output)):
            return _run(args, output)

    return run_command(body, DlxError, prefix="dlx.models: ")


def _leave(output: Output) -> None:
    output.keep()
    print_message("interrupted")


def _parser() -> Parser:
    from dlx.models.catalogue import MODELS

    parser = Parser(
        prog="dlx.models",
        description="Makes a model, and prints its first solution, a picture, or the problem.",
    )
    parser.add_argument("--list", action="store_true", help="name the models and their parameters")
    kinds = parser.add_subparsers(dest="model", metavar="MODEL")
    for name, entry in MODELS.items():
        task = f"python -m dlx.models {name} --format dlx | python -m dlx - --all"
        kind = kinds.add_parser(
            name,
            help=entry.help,
            description=entry.help,
            epilog=f"All solutions, and other tasks: {task}",
        )
        _add_parameters(kind, entry)
        kind.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
        kind.add_argument("--count", action="store_true", help="print the number of solutions")
        kind.add_argument(
            "--index",
            metavar="I",
            type=at_least(0),
            help="solution I in search order, from 0; default: the first, with costs the cheapest",
        )
        kind.add_output()
        kind.set_defaults(parser=kind)
    return parser


def _add_parameters(parser: argparse.ArgumentParser, entry: Entry) -> None:
    for parameter in entry.parameters:
        name = f"--{parameter.name}"
        if parameter.read is bool:
            parser.add_argument(name, action="store_true", help=parameter.help)
        elif parameter.default is None:
            parser.add_argument(name, metavar="VALUE", required=True, help=parameter.help)
        else:
            text = f"{parameter.help}; default: {parameter.default}"
            parser.add_argument(name, metavar="VALUE", default=parameter.default, help=text)


def _listing() -> str:
    from dlx.models.catalogue import MODELS

    lines = []
    for name, entry in MODELS.items():
        lines.append(f"{name:12} {entry.help}\n")
        for parameter in entry.parameters:
            default = "" if parameter.default is None else f" (default: {parameter.default})"
            lines.append(f"    --{parameter.name:16} {parameter.help}{default}\n")
    return "".join(lines)


def _make(args: argparse.Namespace) -> Model:
    """Return the model that the arguments describe; raise DlxError naming a wrong one."""
    from dlx.models.catalogue import MODELS

    entry = MODELS[args.model]
    values: dict[str, Any] = {}
    for parameter in entry.parameters:
        key = parameter.name.replace("-", "_")
        try:
            value = getattr(args, key)
            values[key] = value if parameter.read is bool else parameter.read(value)
        except OSError as error:
            raise DlxError(f"--{parameter.name} {value}: {error.strerror or error}") from None
        except ValueError as error:
            raise DlxError(f"--{parameter.name}: {error}") from None
    return entry.make(**values)


def _run(args: argparse.Namespace, output: Output) -> int:
    model = _make(args)
    if args.count:
        from dlx.search.kernel import interpreted_first_steps
        from dlx.solver import count_solutions

        with interpreted_first_steps():
            count = count_solutions(model.problem)
        output.write(f"{digits(count)}\n".encode())
        if model.impossible:
            print_message(f"there is no solution: {model.impossible}")
        return FOUND if count else NONE
    if args.format == "dlx":
        from dlx.formats import dumps

        output.write(dumps(_with_words(model.problem)).encode())
        return FOUND
    solution = _solution(model, args.index)
    if solution is None:
        return NONE
    text = model.svg(solution) if args.format == "svg" else model.text(solution)
    try:
        output.write(text.encode())
    except UnicodeEncodeError:
        raise DlxError("a name in the arguments is not UTF-8 text") from None
    return FOUND


def _solution(model: Model, index: int | None) -> tuple[int, ...] | None:
    """Return a solution by its place in the order of the search; by default the first or cheapest.

    If there is none at all, say so on standard error; raise DlxError if there are at most `index`.
    """
    if model.problem.costs is not None and index is None:
        from dlx.costs.driver import cheapest

        solution = next((costed.solution for costed in cheapest(model.problem)), None)
        number = 0
    else:
        from dlx.parallel.driver import ParallelSearch
        from dlx.search.kernel import interpreted_first_steps

        place = min(index or 0, sys.maxsize - 1)
        with interpreted_first_steps():
            search = ParallelSearch(model.problem, limit=place + 1, jobs=1)
            solution = next(islice(search, place, None), None)
            number = search.num_solutions
            search.close()
    if solution is None and index:
        raise DlxError(
            f"--index {index}: the model has {solutions_text(number)}; numbers begin at 0"
        )
    if solution is None:
        reason = f": {model.impossible}" if model.impossible else ""
        print_message(f"there is no solution{reason}")
    return solution


def _with_words(problem: Problem) -> Problem:
    """Return the problem with names of items and colours that the text format can hold."""
    from dlx.problem import replaced

    items = tuple(_name(item) for item in problem.items)
    return replaced(
        problem, items=items, colours=tuple(_name(colour, "") for colour in problem.colours)
    )


def _name(item: Any, signs: str = ".:|") -> str:
    """Return an item as a word: the parts of a tuple are separated by points.

    In a part, `signs`, % and white space are written as % and four hexadecimal digits, so that
    different items have different names.
    """
    if isinstance(item, tuple):
        return ".".join(map(_name, item))
    coded = signs + "%"
    return "".join(f"%{ord(c):04x}" if c in coded or c.isspace() else c for c in str(item))


def script() -> NoReturn:
    """Run the command as a process of its own."""
    end_process(main())


if __name__ == "__main__":
    script()
