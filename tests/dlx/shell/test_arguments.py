"""Arguments: errors in one line, options that a task ignores, numbers."""

import pytest

from dlx import __version__
from dlx.shell.arguments import Parser, at_least


@pytest.fixture
def parser():
    parser = Parser(prog="prog")
    parser.add_argument("files", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--limit", type=at_least(1))
    parser.add_argument("--time-limit", type=at_least(0, float))
    parser.add_argument("--count", action="store_true")
    return parser


def outcome(parser, arguments, capsys):
    with pytest.raises(SystemExit) as end:
        options = parser.parse_args(arguments)
        parser.refuse(options, "--count", ["--limit", "--time-limit", "FILES"])
        parser.exit(0)
    return end.value.code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", "0"], "argument --limit: '0' is not a whole number of at least 1"),
        (["--limit", "x"], "argument --limit: 'x' is not a whole number of at least 1"),
        (["--limit", "1_0"], "argument --limit: '1_0' is not a whole number of at least 1"),
        (
            ["--limit", "9" * 5000],
            "argument --limit: numbers may have at most 4300 digits; this one has 5000",
        ),
        (
            ["--limit", "y" * 200],
            f"argument --limit: '{'y' * 96}... is not a whole number of at least 1",
        ),
        (["--time-limit", "1_0"], "argument --time-limit: '1_0' is not a number of at least 0"),
        (["--time-limit", "nan"], "argument --time-limit: 'nan' is not a number of at least 0"),
        (
            ["--limit", "-x3"],
            "argument --limit: expected one argument; if it begins with -, write = before it",
        ),
        (["--limit=-1-3"], "argument --limit: '-1-3' is not a whole number of at least 1"),
        (["--no-such"], "unrecognized arguments: --no-such"),
        (["--limit", "1"], "--limit has no effect with --count"),
        (["--time-limit", "0.5"], "--time-limit has no effect with --count"),
        (["file"], "FILES has no effect with --count"),
    ],
)
def test_errors_are_one_line_and_status_2(parser, arguments, message, capsys):
    assert outcome(parser, arguments, capsys) == (2, "", f"prog: {message}; see --help\n")


def test_options_with_their_default_are_not_refused(parser, capsys):
    assert outcome(parser, ["--count"], capsys) == (0, "", "")
    assert outcome(parser, ["--version"], capsys) == (0, f"prog {__version__}\n", "")
