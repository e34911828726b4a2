"""The text format: reading, writing, errors with line and column."""

import copy
import gzip
import io
import lzma
import pickle
from pathlib import Path

import pytest
from hypothesis import given

import dlx
from dlx import Coloured, FormatError, Problem, ProblemError
from dlx.__main__ import main
from dlx.files import GZIP, XZ, read_bytes
from dlx.formats import dumps, parse
from tests.dlx.problems import small_problems

TEXT = """\
| Knuth's example (49)
p q r | x y

p q x y:A
p r x:A y
| a comment in between
p x:B
q x:A
r y:B
"""


def test_knuths_example():
    problem = dlx.loads(TEXT)
    assert problem.items == ("p", "q", "r", "x", "y")
    assert problem.num_primary == 3
    assert problem.option(0) == ("p", "q", "x", Coloured("y", "A"))
    assert list(dlx.solutions(problem)) == [(1, 3)]


def test_the_lines_of_the_options_are_kept_as_written():
    lines = parse(TEXT, "text").lines
    assert lines == ["p q x y:A", "p r x:A y", "p x:B", "q x:A", "r y:B"]


def test_multiplicities_stand_before_the_items():
    text = "a 2|b 0:2|c 1:1|d | x\na b c\na b x:1\nb d\n"
    problem = dlx.loads(text)
    assert problem.multiplicities == {"b": (2, 2), "c": (0, 2)}
    assert dlx.dumps(problem) == text.replace("1:1|", "")
    assert dlx.loads(dlx.dumps(problem)) == problem


def test_costs_follow_a_bar_and_are_added():
    assert dlx.loads("a b\na |3\nb |2 |5\na b").costs == (3, 7, 0)
    assert dlx.loads("a b\na b").costs is None
    assert dlx.loads("a | x\na x:1|2").costs is None
    assert dlx.loads("a | x\na x:|\na x:|2 |3").costs == (0, 3)
    longest = "9" * 1000
    assert dlx.loads(f"a b\na |{longest}\nb |-{longest}").costs == (int(longest), -int(longest))


@pytest.mark.parametrize("text", ["\ufeffa b\r\na b\r\n", "a\tb\ra  b", "  a b\n\n  a b  \n"])
def test_line_ends_and_white_space_do_not_matter(text, tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(text, encoding="utf-8", newline="")
    plain = path.read_bytes()
    for packed in (plain, gzip.compress(plain), lzma.compress(plain)):
        path.write_bytes(packed)
        assert dlx.read(path) == Problem(["ab"])


def test_a_problem_is_compressed_as_its_name_says(tmp_path):
    problem = Problem([["a", "b"]])
    for name, start in (("file", b"a b"), ("file.gz", GZIP), ("file.xz", XZ)):
        dlx.write(problem, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
        assert dlx.read(tmp_path / name) == problem
    for _ in range(2):
        packed = (tmp_path / "file.gz").read_bytes()
        dlx.write(problem, tmp_path / "file.gz")
        assert (tmp_path / "file.gz").read_bytes() == packed  # it has no date
    with pytest.raises(dlx.OutputError, match="files are compressed as"):
        dlx.write(problem, tmp_path / "file.bz2")
    dlx.Search(problem).save(tmp_path / "saved.gz")  # no text
    assert dlx.Search.load(tmp_path / "saved.gz", problem).count() == 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "text: ", "there are no items"),
        ("| nothing\n\n", "text: ", "there are no items"),
        ("a b a", "text:1:5: ", "item 'a' is declared twice"),
        ("a | x | y", "text:1:7: ", "a second '|'"),
        ("a b:c", "text:1:3: ", "'b:c' cannot name an item"),
        ("a |b", "text:1:3: ", "'|b' cannot name an item"),
        ("a 2:|b", "text:1:3: ", "'2:' is not a multiplicity for item 'b'"),
        (
            "a -1:2|b",
            "text:1:3: ",
            "'-1:2' is not a multiplicity for item 'b'; it is a whole number",
        ),
        ("a -1|b", "text:1:3: ", "'-1' is not a multiplicity for item 'b'"),
        ("a b 2:1|c\na b c", "text:1:5: ", "'c' is from 2 to 1; low is above high"),
        ("a 3|b\na b\na b", "text:1:3: ", "above the number of options, 2"),
        ("a | 2|b\na b\na b", "text:1:5: ", "item 'b' has a multiplicity, but is secondary"),
        ("a 2|a\na\na", "text:1:3: ", "item 'a' is declared twice"),
        ("a b\n\n| c\na  c", "text:4:4: ", "item 'c' is not among the items of the first line"),
        ("a b\nb a b", "text:2:5: ", "option 0 ('b', 'a', 'b'): item 'b' is in it twice"),
        ("a | x\na x:1 x:2", "text:2:7: ", "item 'x' is in it twice"),
        ("a b\na\na b:1", "text:3:3: ", "item 'b' has a colour, but is primary"),
        ("a | x\na x:", "text:2:3: ", "'x:' has no colour"),
        ("a | x\na :1", "text:2:3: ", "item '' is not among the items"),
        ("a b\na | b", "text:2:3: ", "'|' is not a cost"),
        ("a b\na |1.5", "text:2:3: ", "'|1.5' is not a cost"),
        ("a b\na |" + "9" * 1001, "text:2:3: ", "a cost has at most 1000 digits"),
        ("a b\na |-" + "9" * 1001, "text:2:3: ", "a cost has at most 1000 digits"),
    ],
)
def test_faults_are_refused_with_line_and_column(text, place, message):
    with pytest.raises(FormatError) as error:
        dlx.loads(text)
    assert str(error.value).startswith(place)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a b\n\xff\xfe", ":2: this is not UTF-8 text"),
        (b"a b\n\n\0", ":3: this is a binary file, not a text"),
        (b"\n\xff", ":2: this is not UTF-8 text"),
        (b"\n\0", ":2: this is a binary file, not a text"),
        (gzip.compress(bytes(5_000_000)), ":1: this is a binary file, not a text"),
        (gzip.compress(b"a b\na b\n")[:-9], ": the gzip data is broken or cut short"),
        (lzma.compress(bytes(5_000_000)), ":1: this is a binary file, not a text"),
        (lzma.compress(b"a b\na b\n")[:-9], ": the xz data is broken or cut short"),
        (b"\xfd7zXZ\0nonsense", ": the xz data is broken or cut short"),
        (b"\x1f\x8bnonsense", ": the gzip data is broken or cut short"),
    ],
)
def test_files_that_are_not_text_are_refused_with_their_name(data, message, tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_bytes(data)
    with pytest.raises(FormatError) as error:
        dlx.read(path)
    assert str(error.value) == f"{path}{message}"


def test_a_text_beyond_the_memory_is_refused():
    text = io.BytesIO(b"a b\n" * 1000)
    assert read_bytes(text, "text", 4000) == b"a b\n" * 1000
    text.seek(0)
    with pytest.raises(FormatError, match=r"^text: there is no memory for a text of 4,000 bytes$"):
        read_bytes(text, "text", 3999)


def test_a_small_file_that_expands_beyond_the_memory_is_refused(tmp_path, monkeypatch, capsys):
    path = tmp_path / "problem.dlx.gz"
    path.write_bytes(gzip.compress(b"a" + b" " * (1 << 21)))
    monkeypatch.setattr("dlx.count.memory.machine_memory", lambda: 1 << 22)
    assert main([str(path)]) == 2
    err = capsys.readouterr().err
    assert err == f"dlx: {path}: there is no memory for a text of {1 << 21:,} bytes\n"


def test_only_the_first_bytes_of_a_binary_file_are_read(monkeypatch):
    monkeypatch.setattr("dlx.files.PIECE", 4)
    assert read_bytes(io.BytesIO(b"abcdefg\0ijklmn"), "text") == b"abcdefg\0"
    packed = gzip.compress(b"a b\n", mtime=0) * 5
    assert b"\0" in packed and read_bytes(io.BytesIO(packed), "text") == packed


@pytest.mark.parametrize("text", ["a\n{}", "{0} {0}", "a:{}", "x|{}", "a\na |{}", "a b\na {}:"])
def test_messages_cut_long_names(text):
    with pytest.raises(FormatError) as error:
        dlx.loads(text.format("x" * 100_000))
    assert len(str(error.value)) < 400


@given(small_problems())
def test_written_problems_are_read_again(problem):
    if not problem.num_primary:
        with pytest.raises(ProblemError, match="without primary items"):
            dlx.dumps(problem)
        return
    again = dlx.loads(dlx.dumps(problem))
    assert again.items == problem.items
    assert again.digest == problem.digest
    assert again.colours == tuple(map(str, problem.colours))
    assert dlx.dumps(again) == dlx.dumps(problem)
    assert dlx.loads(dlx.dumps(again)) == again


def test_costs_of_no_options_are_none():
    problem = dlx.Problem([], primary=["a"], costs=[])
    assert problem.costs is None
    assert dlx.loads(dlx.dumps(problem)) == problem
    assert dlx.solution_set(problem).best() is None


def test_writing_a_file_leaves_nothing_else(tmp_path):
    path = tmp_path / "problem.dlx"
    problem = dlx.loads("a b | x\na x:1 |4\nb x:1 |0\n")
    dlx.write(problem, path)
    assert dlx.read(path) == problem
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ProblemError):
        dlx.write(Problem([["a b"]]), path)
    assert dlx.read(path) == problem
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([["a b"]], "item 'a b' cannot be written"),
        ([["a:b"]], "item 'a:b' cannot be written"),
        ([["|a"]], "cannot be written"),
        ([[""]], "cannot be written"),
        ([[(0, 1)]], r"item \(0, 1\) cannot be written"),
        ([["\ud800"]], r"item '\\ud800' cannot be written"),
        ([["\ufeffa"]], r"item '\\ufeffa' cannot be written"),
        ([["a\0"]], r"item 'a\\x00' cannot be written"),
        ([["a", Coloured("x", "\ud800")]], r"colour '\\ud800' cannot be written"),
        ([[1, "1"]], "item '1' is written like another item"),
        ([["a", Coloured("x", "deep red")]], "colour 'deep red' cannot be written"),
        ([["a", Coloured("x", 1)], ["b", Coloured("x", "1")]], "two colours are written alike"),
    ],
)
def test_names_that_the_format_cannot_hold(options, message):
    with pytest.raises(ProblemError, match=message):
        dlx.dumps(Problem(options, secondary=["x"]))


def test_costs_that_the_format_cannot_hold():
    for cost in (10**1000 - 1, 1 - 10**1000):
        problem = Problem([["a"]], primary=["a"], costs=[cost])
        assert dlx.loads(dlx.dumps(problem)) == problem
    for cost in (10**1000, -(10**5000)):
        with pytest.raises(ProblemError, match="a cost in the text format has at most 1000 digits"):
            dlx.dumps(Problem([["a"]], costs=[cost]))


@pytest.mark.parametrize("character", ["\0", "\ufeff", "\ud800"])
def test_characters_that_no_text_file_gives_back(character):
    with pytest.raises(FormatError, match=r"text:2:3: character '\\.*' cannot be in a text"):
        dlx.loads(f"a b\na {character}\n")


def test_a_text_of_options_is_that_of_their_problem():
    options = [["a", "b"], ["c"]]
    assert dumps(options) == dumps(Problem(options)) == "a b c\na b\nc\n"
    with pytest.raises(ProblemError, match="options is None"):
        dumps(None)


def test_messages_name_a_path_as_a_text():
    with pytest.raises(FormatError, match=r"folder.x\.dlx:2:1: "):
        dlx.loads("a\nb\n", Path("folder", "x.dlx"))


def test_pickled_and_copied_errors_keep_their_place():
    with pytest.raises(FormatError) as caught:
        dlx.loads("a\nb\n", "x.dlx")
    error = caught.value
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is FormatError and str(other) == str(error)
        assert (other.source, other.line, other.column) == ("x.dlx", 2, 1)
