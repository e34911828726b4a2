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
        (
            ["--limit", "9" * 5000],
            "argument --limit: a number of 5000 digits is too large; it may have 4300",
        ),
        (
            ["--limit", "y" * 200],
            f"argument --limit: '{'y' * 96}... is not a whole number of at least 1",
        ),
        (["--time-limit", "nan"], "argument --time-limit: 'nan' is not a number of at least 0"),
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


def test_an_output_that_would_replace_an_input_is_refused(parser, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input").touch()
    (tmp_path / "link").symlink_to("input")
    for output in ("input", "./input", "link", str(tmp_path / "input")):
        with pytest.raises(SystemExit, match="2"):
            parser.refuse_replacing(output, [None, "-", "other", "input"])
        message = f"prog: -o {output}: this file is read: give the output another name; see --help"
        assert capsys.readouterr().err == f"{message}\n"
    for output in (None, "-", "new"):
        parser.refuse_replacing(output, ["-", "input", "new"])
    parser.refuse_replacing("/dev/null", ["/dev/null"])
