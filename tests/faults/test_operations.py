"""The n-th operation on a file fails, for every n, until a command or a save succeeds.

Each time there is one line and exit status 2, the old file or the whole new one, and no other
file. All operations that write or rename files are in ``dlx/files.py``; input is opened by
``dlx/__main__.py`` and ``sudoku/reading/sources.py``.
"""

import errno
import io
import itertools
import os
import signal
import sys
from importlib import import_module

import pytest

import dlx
from benchmarks import problems
from dlx.costs.driver import CheapestSearch
from dlx.shell.interrupt import terminable
from dlx.shell.output import Output
from tests.faults.commands import DATA, is_one_line, latin_squares

OLD = b"this was here before\n"
FAULTS = [errno.ENOSPC, errno.EIO, errno.EINTR, errno.EPIPE]
WATCHED = ("chmod", "replace", "stat", "unlink")  # functions of os
OPENING = ("dlx.files", "dlx.__main__", "sudoku.reading.sources")  # modules that open files


class Operations:
    """Counts operations; lets the one of a number, or all from it on, fail.

    Attributes
    ----------
    failing : int
        Number of the first operation that fails, from 0.
    error : int or None
        Its `errno`; None: a write takes only half of the data.
    lasting : bool
        Whether all operations after it fail, too, but for removing files.
    log : list of str
        Names of the operations.
    """

    def __init__(self, failing, error, lasting=False):
        self.failing, self.error, self.lasting = failing, error, lasting
        self.log = []

    @property
    def reached(self):
        return len(self.log) > self.failing

    def step(self, name):
        """Count an operation, which may fail; return whether it is to be cut short."""
        number = len(self.log)
        self.log.append(name)
        fails = number == self.failing or (
            self.lasting and number > self.failing and name not in ("unlink", "stat", "read")
        )
        if fails and self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        return fails

    def open(self, name, mode="r", **options):
        self.step("open")
        if "w" in mode:
            return io.BufferedWriter(Raw(self, name, "w"), 1 << 10)
        return io.BufferedReader(Raw(self, name, "r"))

    def __getattr__(self, name):
        function = getattr(os, name)
        if name not in WATCHED:
            return function

        def watched(*arguments, **options):
            self.step(name)
            return function(*arguments, **options)

        return watched

    def watch(self, monkeypatch):
        """Let the operations of the package run through this object."""
        for name in OPENING:
            module = import_module(name)
            monkeypatch.setattr(module, "open", self.open, raising=False)
            if hasattr(module, "os"):
                monkeypatch.setattr(module, "os", self)


class Raw(io.FileIO):
    """A file whose operations are counted and may fail."""

    def __init__(self, operations, name, mode):
        self.operations, self.writes = operations, mode == "w"
        super().__init__(name, mode)

    def write(self, data):
        cut = self.operations.step("write")
        return super().write(data[: (len(data) + 1) // 2] if cut else data)

    def readinto(self, buffer):
        self.operations.step("read")
        return super().readinto(buffer)

    def close(self):
        if not self.closed:
            super().close()
            if self.writes:
                self.operations.step("close")


def modules(name):
    """Return the main function of a command."""
    return import_module(name).main


@pytest.fixture
def files(tmp_path):
    """Return a folder with the input of commands, and the one for their output."""
    source = tmp_path / "in"
    source.mkdir()
    (source / "problem.dlx").write_text(latin_squares(3))
    (source / "priced.dlx").write_text(latin_squares(3, costs=True))
    (source / "two.txt").write_text("\n".join((DATA / "documents.txt").read_text().split()[:2]))
    (source / "small.txt").write_text("1..4..2..1..4...\n")
    return tmp_path


COMMANDS = [
    ("dlx.__main__", "problem.dlx --all"),
    ("dlx.__main__", "problem.dlx --count"),
    ("dlx.__main__", "problem.dlx --sample 3 --seed 1"),
    ("dlx.__main__", "priced.dlx --best 2"),
    ("dlx.models.__main__", "queens --n 4"),
    ("sudoku.dlx", "two.txt"),
    ("sudoku.dlx", "two.txt --format json"),
    ("sudoku.dlx", "two.txt --format svg"),
    ("sudoku.dlx", "two.txt --format fpuzzles"),
    ("sudoku.dlx", "two.txt --sheet 1x2"),
    ("sudoku.dlx", "two.txt --check"),
    ("sudoku.dlx", "two.txt --all"),
    ("sudoku.grids.__main__", "30 --seed 1 --box 2x2"),
    ("sudoku.grids.__main__", "--count --box 2x2"),
    ("sudoku.grids.__main__", "--index 7 --box 2x2"),
    ("sudoku.generate.__main__", "3 --seed 1 --box 2x2"),
    ("sudoku.explain.__main__", "two.txt --rate"),
    ("sudoku.explain.__main__", "small.txt --hint --format svg"),
    ("sudoku.explain.__main__", "--techniques"),
]


def run(module, line, folder):
    """Run a command in this process, its output to ``out.txt``; return its exit status."""
    words = [str(folder / "in" / w) if "." in w else w for w in line.split()]
    quiet = [] if module.startswith("dlx.models") else ["--quiet"]
    try:
        return modules(module)([*words, "-o", str(folder / "out" / "out.txt"), *quiet])
    except SystemExit as end:
        return end.code


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize(("module", "line"), COMMANDS)
def test_each_operation_of_a_command_fails_once(module, line, lasting, files, monkeypatch, capsys):
    if "--techniques" in line:
        line = line.replace("two.txt", "")
    out = files / "out"
    out.mkdir()
    expected = run(module, line, files)
    whole = contents(out)
    assert expected in (0, 1) and whole, capsys.readouterr().err
    capsys.readouterr()
    for error in [errno.ENOSPC] if lasting else [*FAULTS, None]:
        for number in itertools.count():
            for path in out.iterdir():
                path.unlink()
            old = {"out.txt": OLD}
            (out / "out.txt").write_bytes(OLD)
            operations = Operations(number, error, lasting)
            with monkeypatch.context() as patch:
                operations.watch(patch)
                status = run(module, line, files)
            reported = capsys.readouterr().err
            where = f"{line}: {operations.log}, {number}: {error}, status {status}: {reported}"
            found = contents(out)
            if not operations.reached:
                assert status == expected and number > 3, where
                break
            if status == expected:
                assert reported == "" and found in (whole, old | whole), where
            elif error == errno.EPIPE and status == 141:
                assert reported == "" and found == old, where
            else:
                assert status == 2 and is_one_line(reported) and error is not None, where
                assert os.strerror(error) in reported, where
                assert found == old, where


def saves():
    """Return functions that save something to a file, by name."""
    search = dlx.Search(problems.queens(6))
    next(search)
    found = dlx.solution_set(problems.queens(6))
    priced = dlx.Problem([["a", "b"], ["c"]], costs=[2, 1])
    return {
        "a search": search.save,
        "a count": dlx.Count(problems.queens(6)).save,
        "a search for the cheapest": CheapestSearch(priced).save,
        "a solution set": found.save,
        "a problem": lambda path: dlx.write(dlx.Problem([["a", "b"], ["c"]]), path),
    }


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("name", list(saves()))
def test_each_operation_of_a_save_fails_once(name, lasting, tmp_path, monkeypatch, capsys):
    save = saves()[name]
    out = tmp_path / "saved"
    save(out)
    whole = out.read_bytes()
    for error in [errno.ENOSPC] if lasting else [*FAULTS, None]:
        for number in itertools.count():
            out.write_bytes(OLD)
            operations = Operations(number, error, lasting)
            with monkeypatch.context() as patch:
                operations.watch(patch)
                try:
                    save(out)
                    fault = None
                except dlx.OutputError as own:
                    fault = str(own)
            where = f"{name}: {operations.log}, {number}: {error}, {fault}"
            assert os.listdir(tmp_path) == ["saved"], where
            if fault is None:
                assert out.read_bytes() == whole, where
            else:
                assert error is not None and os.strerror(error) in fault and "\n" not in fault
                assert out.read_bytes() == OLD, where
            if not operations.reached:
                assert fault is None and number > 3, where
                break
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", list(saves()))
def test_ctrl_c_during_a_save_leaves_nothing(name, tmp_path, monkeypatch, capsys):
    """The interrupt comes in each operation; library code neither keeps a part nor prints."""
    save = saves()[name]
    out = tmp_path / "saved"
    for number in itertools.count():
        out.write_bytes(OLD)
        operations = Operations(number, 0)

        def step(operation, operations=operations):
            operations.log.append(operation)
            if len(operations.log) == operations.failing + 1:
                raise KeyboardInterrupt

        operations.step = step
        with monkeypatch.context() as patch:
            operations.watch(patch)
            try:
                save(out)
                interrupted = False
            except KeyboardInterrupt:
                interrupted = True
        assert os.listdir(tmp_path) == ["saved"], operations.log
        if not operations.reached:
            break
        assert interrupted
        assert out.read_bytes() == OLD, operations.log
    assert number > 3
    assert capsys.readouterr() == ("", "")


def keep_output(path, operations, patch):
    """Write a file and interrupt that, all operations watched."""
    operations.watch(patch)
    with Output(str(path)) as output:
        output.write(b"some data")
        operations.log.append("interrupt")
        raise KeyboardInterrupt


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_while_output_is_kept_waits(second, tmp_path, monkeypatch, capsys):
    late = 0
    for number in itertools.count():
        operations = Operations(number, 0)

        def step(operation, operations=operations):
            operations.log.append(operation)
            if len(operations.log) == operations.failing + 1:
                signal.raise_signal(second)

        operations.step = step
        with pytest.raises(KeyboardInterrupt), terminable(), monkeypatch.context() as patch:
            keep_output(tmp_path / "out", operations, patch)
        found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        if "interrupt" in operations.log[:number]:
            late += operations.reached
            assert found == {"out.partial": b"some data"}, operations.log
        else:
            assert found in ({}, {"out.partial": b"some data"}), operations.log
        for path in tmp_path.iterdir():
            path.unlink()
        if not operations.reached:
            break
    assert late >= 3  # write, close, rename
    assert "Traceback" not in capsys.readouterr().err


FILES = "dlx/files.py", "dlx/shell/output.py"


def signal_at(number, folder):
    """Write a file; let Ctrl-C come before line `number` of the code that does; was it reached."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        names = {frame.f_code.co_name, frame.f_back.f_code.co_name}
        if "__del__" in names or not frame.f_code.co_filename.endswith(FILES):
            return None
        if event == "line":
            seen += 1
            if seen == number:
                signal.raise_signal(signal.SIGINT)
        return trace

    def write():
        with Output(str(folder / "out")) as output:
            output.write(b"some data")

    sys.settrace(trace)
    try:
        write()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    return seen >= number


def test_ctrl_c_between_any_two_lines_leaves_no_temporary_file(tmp_path, capsys):
    for number in itertools.count(1):
        reached = signal_at(number, tmp_path)
        for path in tmp_path.iterdir():
            assert path.name in ("out", "out.partial"), number
            assert path.read_bytes() == b"some data"
            path.unlink()
        if not reached:
            break
    assert number > 30


def test_library_code_leaves_signal_handlers_alone(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("a signal handler is changed")

    monkeypatch.setattr("signal.signal", refuse)
    monkeypatch.setattr("signal.set_wakeup_fd", refuse)
    for name, save in saves().items():
        save(tmp_path / name.replace(" ", "-"))
    assert dlx.count_solutions(problems.queens(6)) == 4
    assert dlx.solve(problems.queens(6))
    assert not {"dlx.shell.interrupt"} & imported_by_library()


def imported_by_library():
    """Return the modules of a process that has used the library and no command."""
    import subprocess

    code = (
        "import sys, dlx, sudoku\n"
        "from sudoku.generate import generate\n"
        "dlx.count_solutions([[0], [1]]), dlx.Search, dlx.solution_set, dlx.read\n"
        "sudoku.solve, sudoku.read, sudoku.rate, sudoku.grid_at\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())
