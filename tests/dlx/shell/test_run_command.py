"""Running the body of a command: exit statuses and messages."""

import gc
import sys
import warnings

import pytest

from dlx.errors import DlxError, OutputError
from dlx.shell.command import end_process, run_command


def raising(error):
    def body():
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (DlxError("x: no such file"), 2, "prog: x: no such file\n"),
        (OutputError("y: cannot be written"), 2, "prog: y: cannot be written\n"),
        (MemoryError(), 2, "prog: there is not enough memory\n"),
        (MemoryError("2 GB are needed"), 2, "prog: 2 GB are needed\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_exceptions_become_a_message_and_a_status(error, status, message, capsys):
    assert run_command(raising(error), DlxError, prefix="prog: ") == status
    assert capsys.readouterr() == ("", message)


def test_the_status_of_the_body_is_returned(capsys):
    assert [run_command(lambda status=status: status, DlxError) for status in (0, 1)] == [0, 1]
    assert capsys.readouterr() == ("", "")


def test_garbage_is_collected_rarely_within_the_body():
    before = gc.get_threshold()
    assert run_command(lambda: gc.get_threshold()[0], DlxError) == 100_000
    assert gc.get_threshold() == before


def test_an_error_that_no_input_explains_is_raised():
    with pytest.raises(RuntimeError, match="another"):
        run_command(raising(RuntimeError("another")), DlxError)


@pytest.mark.parametrize(
    ("name", "executable"), [("numba", sys.executable), ("numpy", sys.executable), ("numpy", "")]
)
def test_a_package_that_is_not_installed_is_named_with_the_command_that_installs_it(
    name, executable, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "executable", executable)
    assert run_command(raising(ModuleNotFoundError(name=name)), DlxError, prefix="prog: ") == 2
    command = f"{executable or 'python'} -m pip install numba numpy"
    assert capsys.readouterr().err == f"prog: {name} is not installed: {command}\n"
    with pytest.raises(ModuleNotFoundError):
        run_command(raising(ModuleNotFoundError(name="dlx.nothing")), DlxError)


def test_warnings_for_the_user_are_lines_and_others_are_left(capsys):
    def body():
        for _ in range(2):
            warnings.warn("a doubt", stacklevel=1)
        warnings.warn("an old name", DeprecationWarning, stacklevel=1)
        return 0

    with pytest.warns(DeprecationWarning, match="an old name"):
        assert run_command(body, DlxError) == 0
    assert capsys.readouterr() == ("", "warning: a doubt\n" * 2)


def test_a_closed_pipe_gives_status_141(monkeypatch, capsys):
    replaced = []
    monkeypatch.setattr("os.dup2", lambda old, new: replaced.append(new))
    assert run_command(raising(BrokenPipeError()), DlxError) == 141
    assert replaced == [1] and capsys.readouterr() == ("", "")


def test_the_process_ends_after_its_streams_are_flushed(monkeypatch):
    ended = []
    monkeypatch.setattr("os._exit", ended.append)
    monkeypatch.setattr(sys, "stdout", None)  # as where it was closed before the process began
    end_process(1)
    assert ended == [1]
