"""The command: output, exit status, wrong input and arguments, interrupts."""

import io
import os
import signal
import subprocess
import sys
from itertools import product

import pytest

import dlx
from benchmarks import problems
from dlx import Search, Stats
from dlx.__main__ import _Command, _Progress, main
from dlx.parallel.driver import ParallelSearch
from tests import processes

TEXT = """\
| two solutions
a b c | x
a  b
c x:1
| between
a x:1
b c
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(TEXT)
    return str(path)


def test_one_solution_as_the_file_wrote_it(file, capsys):
    assert main([file]) == 0
    out, err = capsys.readouterr()
    assert out == "a  b\nc x:1\n"
    assert err.startswith("1 solution, ")
    assert err.endswith("stopped: limit\n")


def test_all_solutions_with_a_blank_line_between(file, capsys):
    assert main([file, "--all"]) == 0
    out, err = capsys.readouterr()
    assert out == "a  b\nc x:1\n\na x:1\nb c\n"
    assert "2 solutions" in err
    assert main([file, "--limit", "1", "--quiet"]) == 0
    assert capsys.readouterr() == ("a  b\nc x:1\n", "")


def test_the_command_counts_up_to_a_limit(file, capsys):
    assert main([file, "--count"]) == 0
    assert capsys.readouterr().out == "2\n"
    assert main([file, "--count", "--limit", "1"]) == 0
    assert capsys.readouterr().out == "1\n"


def test_a_count_that_a_time_limit_ends(tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text(problems.text(problems.queens(8)))
    assert main([str(path), "--count", "--time-limit", "0"]) == 1
    assert capsys.readouterr().out == "at least 0\n"


def test_a_quiet_search_says_that_a_time_limit_ended_it(tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text(problems.text(problems.queens(8)))
    assert main([str(path), "--quiet", "--time-limit", "0"]) == 1
    assert tuple(capsys.readouterr()) == ("", "dlx: stopped at the time limit of 0 s\n")
    path.write_text("a b\na\n")
    assert main([str(path), "--quiet", "--time-limit", "60"]) == 1
    assert tuple(capsys.readouterr()) == ("", "")


def test_the_command_estimates_nodes_and_solutions(file, capsys):
    assert main([file, "--estimate", "--seed", "1"]) == 0
    assert capsys.readouterr().out == "solutions 2 +- 0\nnodes     5 +- 0\n"
    for wrong in (["--limit", "3"], ["--time-limit", "1"], ["--method", "search"]):
        with pytest.raises(SystemExit):
            main([file, "--estimate", *wrong])
        assert "--estimate" in capsys.readouterr().err or "--method" in wrong


def test_an_estimate_without_a_solution_says_so(tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text("a b c\na b\nb c\n")
    assert main([str(path), "--estimate", "--seed", "1"]) == 0
    solutions, _ = capsys.readouterr().out.splitlines()
    assert solutions == "solutions 0 +- 0, as no descent has found one"


def test_an_estimate_beyond_the_largest_float_is_said_in_words(tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text(problems.text(dlx.Problem([[k // 2] for k in range(2 * 1100)])))
    assert main([str(path), "--estimate", "--seed", "1"]) == 0
    text = "more than 1e+305, by estimate"
    assert capsys.readouterr().out == f"solutions {text}\nnodes     {text}\n"


def test_without_a_solution_the_status_is_1(tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text("a b\na\n")
    assert main([str(path)]) == 1
    assert capsys.readouterr().out == ""
    assert main([str(path), "--count"]) == 1
    assert capsys.readouterr().out == "0\n"


def test_output_to_a_file(file, tmp_path, capsys):
    path = tmp_path / "out"
    assert main([file, "--count", "-o", str(path)]) == 0
    assert path.read_text() == "2\n"
    assert capsys.readouterr().out == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "problem.dlx"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none", None, "none: No such file or directory"),
        ("folder", ..., "folder: Is a directory"),
        ("empty", b"", "empty: there are no items"),
        ("binary", b"\x00\x01", "binary:1: this is a binary file"),
        ("bad", b"a b\na c\n", "bad:2:3: item 'c' is not among"),
        ("twice", b"a b\na b a\n", "twice:2:5: option 0"),
    ],
)
def test_bad_input_is_reported_in_one_line_with_status_2(name, content, message, tmp_path, capsys):
    path = tmp_path / name
    if content is ...:
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    assert main([str(path), "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--sample 1", "a solution set takes no problem with multiplicities other than 0:1;"),
        ("--estimate", "an estimate takes no problem with multiplicities other than 0:1;"),
        ("--count --method sweep", "a sweep takes no problem with multiplicities other than 0:1;"),
        ("--kernel links", "kernel 'links' cannot take this problem: it has multiplicities;"),
        ("--best", "the costs are too large"),
    ],
)
def test_problems_that_a_task_cannot_take_are_named(arguments, message, tmp_path, capsys):
    path = tmp_path / "problem.dlx"
    path.write_text("a 2|b\na b |1152921504606846976\nb |1\n")
    assert main([str(path), *arguments.split()]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"dlx: {path}: {message}") and err.count("\n") == 1


@pytest.mark.parametrize("name", ["", "a\nb\x1b", "\r"])
def test_names_are_written_on_one_line(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([name]) == 2
    shown = repr(name)[1:-1] or repr(name)
    assert capsys.readouterr().err == f"dlx: {shown}: No such file or directory\n"
    with pytest.raises(SystemExit):
        main(["a", f"b{name}"])
    assert capsys.readouterr().err.count("\n") == 1


def test_output_that_cannot_be_written(file, tmp_path, capsys):
    for path in (tmp_path, tmp_path / "none" / "out"):
        assert main([file, "-o", str(path)]) == 2
        assert str(path) in capsys.readouterr().err


def test_time_limits_are_those_of_the_other_commands(file, capsys):
    assert main([file, "--count", "--time-limit", "inf"]) == 0
    assert capsys.readouterr().out == "2\n"
    with pytest.raises(SystemExit):
        main([file, "--time-limit", "nan"])
    message = "dlx: argument --time-limit: 'nan' is not a number of at least 0; see --help\n"
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("arguments", [[], ["--limit", "-1"], ["--time-limit", "x"], ["--no"]])
def test_bad_usage_is_reported_in_one_line_with_status_2(arguments, file, capsys):
    with pytest.raises(SystemExit) as error:
        main([*arguments, file] if arguments else [])
    assert error.value.code == 2
    reported = capsys.readouterr().err
    assert reported.startswith("dlx: ") and reported.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--method search", "--method needs --count"),
        ("--all --method auto", "--method needs --count"),
        ("--seed 1", "--seed needs --sample"),
        ("--count --seed 0", "--seed needs --sample"),
        (
            "--all --memory-limit 1G",
            "--memory-limit needs --count or --index or",
        ),
        ("--index 0 --limit 2", "--limit has no effect with --index"),
        ("--sample 1 --kernel auto", "--kernel has no effect with --sample"),
        ("--best --limit 0", "--limit has no effect with --best"),
        ("--count --method search --memory-limit 1G", "--memory-limit has no effect with --method"),
        ("--count --method sweep --kernel bits", "--kernel has no effect with --method sweep"),
        ("--count --method sweep --dask local", "--method sweep with --dask needs --spill DIR"),
        ("--count --method sweep --ledger a", "--method sweep takes no --ledger: it continues"),
        ("--count --kernel bits --memory-limit 1G", "--memory-limit has no effect with --kernel"),
        ("--count --ledger x --memory-limit 1G", "--memory-limit has no effect with --ledger"),
    ],
)
def test_options_without_effect_are_refused(arguments, message, file, capsys):
    with pytest.raises(SystemExit) as error:
        main([file, *arguments.split()])
    assert error.value.code == 2
    reported = capsys.readouterr().err
    assert reported.startswith(f"dlx: {message}") and reported.count("\n") == 1


@pytest.mark.parametrize("task", ["--count", "--all", "--best"])
def test_an_output_that_would_replace_the_ledger_is_refused(task, file, tmp_path, capsys):
    ledger, link = tmp_path / "ledger", tmp_path / "link"
    ledger.write_bytes(b"work")
    link.symlink_to(ledger)
    for output in (ledger, link):
        with pytest.raises(SystemExit, match="2"):
            main([file, task, "--ledger", str(ledger), "-o", str(output)])
        assert capsys.readouterr().err.startswith("dlx: -o, --ledger and --spill need different")
    assert ledger.read_bytes() == b"work"


@pytest.mark.parametrize("other", ["--ledger", "-o"])
def test_a_folder_of_states_has_a_name_of_its_own(other, file, tmp_path, capsys):
    name = str(tmp_path / "states")
    with pytest.raises(SystemExit, match="2"):
        main([file, "--count", "--spill", name, other, name])
    assert capsys.readouterr().err.startswith("dlx: -o, --ledger and --spill need different names")


@pytest.mark.parametrize(
    ("arguments", "outputs"),
    [
        ("--count --method sweep --memory-limit 1M", ["2\n"]),
        ("--sample 1 --seed 0", ["a  b\nc x:1\n", "a x:1\nb c\n"]),
        ("--kernel bits", ["a  b\nc x:1\n"]),
    ],
)
def test_options_with_their_task_are_accepted(arguments, outputs, file, capsys):
    assert main([file, *arguments.split()]) == 0
    assert capsys.readouterr().out in outputs


def test_a_count_that_is_short_of_memory_says_so(tmp_path, capsys):
    (tmp_path / "latin.dlx").write_text(problems.text(problems.latin(5)))
    line = [str(tmp_path / "latin.dlx"), "--count", "--method", "sweep", "--memory-limit"]
    for limit, shortage in (("300K", ", short of memory"), ("1G", "")):
        assert main([*line, limit]) == 0
        out, err = capsys.readouterr()
        assert out == "161280\n" and err.endswith(f"kernel sweep{shortage}\n")


def run(*arguments, environment=(), **options):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | dict(environment)
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


class Pipe(io.BytesIO):
    """A pipe whose writer the same signal ends, in the midst of a problem."""

    def __init__(self, number):
        super().__init__(b"a b\na b\n")
        self.number = number

    def read(self, size=-1):
        data = super().read(size)
        if not data:
            signal.raise_signal(self.number)
        return data


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_pipe_is_not_read_as_a_problem(number, status, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Pipe(number)))
    assert main(["-"]) == status
    assert capsys.readouterr() == ("", "interrupted\n")


def test_help_and_bad_input_do_not_import_numba():
    watch = "import sys, dlx.__main__ as m\ntry: m.main(sys.argv[1:])\nfinally:"
    shown = "[name in sys.modules for name in ('numba', 'dlx.search.bits_kernel')]"
    for arguments, lazy in (["--help"], True), (["-"], True), (["-", "--count"], False):
        text = "a b\na c\n" if lazy else "a b\na\nb\n"
        process = run("-c", f"{watch} print({shown})", *arguments)
        out, _ = process.communicate(text)
        assert out.splitlines()[-1] == str([not lazy, False])


def test_the_package_imports_no_numba_and_a_small_search_one_kernel():
    search = "list(dlx.solutions([[0], [1]], jobs=2)), dlx.solve([[0], [1]])"
    names = "'dlx.search.bits_kernel', 'dlx.count.sweep_kernel', 'dlx.search.links_kernel'"
    code = (
        "import sys, dlx; print({'numba', 'numpy'} & set(sys.modules), dir(dlx))\n"
        f"print({search}, [name in sys.modules for name in ({names})])"
    )
    out, _ = run("-c", code).communicate()
    assert out.startswith("set() ")
    assert "count_solutions" in out
    assert out.splitlines()[1] == "[(0, 1)] (0, 1) [False, False, True]"
    with pytest.raises(AttributeError, match="no attribute 'cells'"):
        dlx.cells  # noqa: B018


def test_the_packages_of_the_documents_are_attributes_of_the_package():
    code = "import dlx; print(dlx.models.queens, dlx.logic.Deducer, dlx.export.cnf, dir(dlx))"
    out, err = run("-c", code).communicate()
    assert err == ""
    assert all(f"'{name}'" in out for name in ("export", "logic", "models"))


@pytest.mark.parametrize("arguments", [["--jobs", "1"], ["--jobs", "2"], ["--ledger", "ledger"]])
def test_the_time_limit_and_the_summary_include_the_time_of_writing(
    arguments, tmp_path, capsys, monkeypatch
):
    """Each write takes a second, and searching no time."""
    seconds = 0.0

    def write(self, *texts):
        nonlocal seconds
        seconds += 1
        return whole(self, *texts)

    whole = _Command._write_solutions
    monkeypatch.setattr(_Command, "_write_solutions", write)
    monkeypatch.setattr(ParallelSearch, "clock", staticmethod(lambda: seconds))
    monkeypatch.chdir(tmp_path)
    path, out = tmp_path / "problem.dlx", tmp_path / "out"
    path.write_text(latin_squares(7))
    assert main([str(path), "--all", *arguments, "--time-limit", "3", "-o", str(out)]) == 0
    assert seconds == 3
    err = capsys.readouterr().err
    assert err.rstrip().endswith(", 3.000 s, kernel bits, stopped: time limit")
    solutions = out.read_text().split("\n\n")
    assert err.split(" solutions")[0].replace(",", "") == str(len(solutions))
    assert all(solution.count("\n") >= 48 for solution in solutions)


INTERRUPTED_AT = """
import signal, sys
from importlib import import_module

place, number = sys.argv.pop(1).split(":")
seen = 0

def interrupt():
    global seen
    seen += 1
    if seen == int(number):
        signal.raise_signal(signal.SIGINT)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == place:
            interrupt()
        elif place == "compile" and name == "dlx.search.bits_kernel":
            from numba.core import event
            class Listener(event.Listener):
                on_start = on_end = lambda self, event: interrupt()
            event.register("numba:compile", Listener())

sys.meta_path.insert(0, Finder())
if place == "clock":
    from dlx.count import driver as counting
    from dlx.parallel.driver import ParallelSearch
    from dlx.search.driver import Search
    clock = Search.clock
    Search.clock = ParallelSearch.clock = staticmethod(lambda: (interrupt(), clock())[1])
    class Time:
        perf_counter = Search.clock
    counting.time = Time
import_module("dlx.__main__").script()
"""
"""The command; the signal of Ctrl-C arrives at a given moment.

PLACE:N is the N-th reading of the clock, the N-th event of numba's compiler, or the import of a
module.
"""


@pytest.mark.parametrize("reading", [1, 4, 9])
@pytest.mark.parametrize("task", ["--count", "--all"])
def test_an_interrupt_keeps_the_solutions_found(task, reading, tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(latin_squares(7))
    line = [sys.executable, "-m", "dlx", str(path), task]
    processes.run([*line, "--limit", "100000"])  # fills the cache: too many for the first steps
    line[1:3] = "-c", INTERRUPTED_AT, f"clock:{reading}"
    done = processes.run([*line, "-o", str(tmp_path / "out")], text=True, timeout=60)
    err = done.stderr
    assert done.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    names = sorted(p.name for p in tmp_path.iterdir())
    if task == "--all" and reading < 9:  # perhaps before the first solution
        assert names in (["problem.dlx"], ["out.partial", "problem.dlx"])
        return
    assert "out.partial" in err
    assert names == ["out.partial", "problem.dlx"]
    out = (tmp_path / "out.partial").read_text()
    if task == "--count":
        assert out.startswith("at least ")
        assert int(out.split()[2]) >= 0
    else:
        solutions = out.split("\n\n")
        assert all(len(solution.strip().split("\n")) == 49 for solution in solutions)


@pytest.mark.parametrize("place", ["numpy:1", "llvmlite:1", "numba.core.compiler:1", "compile:1"])
def test_an_interrupt_of_imports_and_of_the_compiler_ends_the_command(place, tmp_path):
    path = tmp_path / "problem.dlx"
    path.write_text(latin_squares(8))
    folder = {"NUMBA_CACHE_DIR": str(tmp_path)}  # empty: the kernel is compiled, for seconds
    process = run("-c", INTERRUPTED_AT, place, str(path), "--count", environment=folder)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith("at least ") and int(out.split()[2]) >= 0
    assert err.count("\n") == 1 and "interrupted" in err


def test_huge_limits_are_exact(file, capsys):
    for limit in (2**63 - 1, 2**63, 10**30):
        assert main([file, "--count", "--limit", str(limit)]) == 0
        assert main([file, "--limit", str(limit), "--quiet"]) == 0
        assert capsys.readouterr().out == "2\na  b\nc x:1\n\na x:1\nb c\n"


@pytest.mark.skipif(os.name != "posix", reason="descriptors as POSIX has them")
def test_a_closed_standard_output_is_reported_in_one_line(file):
    done = processes.run([sys.executable, "-m", "dlx", file], text=True, close=[1])
    assert done.stderr == "dlx: <stdout>: cannot be written: it is closed\n"
    assert done.returncode == 2


def latin_squares(n):
    cells = product(range(n), repeat=3)
    options = [f"p{r}{c} r{r}{s} c{c}{s}" for r, c, s in cells]
    items = sorted({item for option in options for item in option.split()})
    return "\n".join([" ".join(items), *options])


def test_progress_shows_the_time_left(capsys):
    problem = problems.matchings(8)  # of which every estimate is exact: 105 solutions, 140 nodes
    stats = Stats(10, 0, 0, 3.0, "bits", 0.25)
    whole = Search(problem, kernel="bits")
    whole.count()
    _Progress(problem)(stats._replace(nodes=whole.stats.nodes // 4))
    assert capsys.readouterr().err.strip() == (
        f" 25.0%  10 solutions, {whole.stats.nodes // 4} nodes, 9.0 s left".strip()
    )
    _Progress(problem)(stats._replace(kernel="sweep"))
    assert "0 nodes, 9.0 s left" in capsys.readouterr().err
    _Progress()(stats)
    assert "left" not in capsys.readouterr().err
