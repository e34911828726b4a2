"""Kernels read and write their arrays only: each array lies between two inaccessible pages.

numba's bounds checks do not see the loads of whole vectors. Here each array of a state is laid
right before, then right after, a page without access, so a step beyond it ends the process. The
searches run in processes of their own; so does a kernel that does go beyond its array, to show
that the pages guard.
"""

import ctypes
import mmap
import random
import signal
import sys
from functools import cache
from itertools import islice
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from tests import processes
from tests.faults.commands import ROOT
from tests.modes import COMPILED

if sys.platform != "linux":
    pytest.skip("these tests map pages without access, by calls of Linux", allow_module_level=True)
if not COMPILED:
    pytest.skip("without the JIT numpy makes every access, and checks it", allow_module_level=True)

PAGE = mmap.PAGESIZE


class Guarded:
    """Copies arrays to memory between two guard pages, and keeps that memory."""

    def __init__(self):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        self._libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3,
                                    ctypes.c_long]  # fmt: skip
        self._libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self._used, self._unused = [], {}  # copies and their kind; copies that are free, by kind

    def copy(self, array, at_end):
        """Return a copy that ends right before a guard page, or begins right after one."""
        writeable = array.flags.writeable  # else kernels are compiled for another type
        kind = array.dtype, array.shape, writeable, at_end
        unused = self._unused.get(kind)
        own, copy = unused.pop() if unused else self._lay(array, at_end)
        own[...] = array
        copy.flags.writeable = writeable
        self._used.append((kind, (own, copy)))
        return copy

    def _lay(self, array, at_end):
        """Return an array between guard pages, for what is copied to it, and a view of it."""
        size = array.nbytes
        pages = -(-size // PAGE) + 2
        start = self._map(pages) + PAGE
        if at_end:
            start += (pages - 2) * PAGE - size
        own = np.frombuffer((ctypes.c_char * size).from_address(start), array.dtype)
        own = own.reshape(array.shape)
        return own, own.view()

    def _map(self, pages):
        base = self._libc.mmap(None, pages * PAGE, 3, 0x22, -1, 0)
        assert base not in (None, ctypes.c_void_p(-1).value)
        for guard in (base, base + (pages - 1) * PAGE):
            assert self._libc.mprotect(guard, PAGE, 0) == 0
        return base

    def free(self):
        """Let the next copies take the memory of those made so far."""
        for kind, arrays in self._used:
            self._unused.setdefault(kind, []).append(arrays)
        self._used.clear()


def search_all(kernel_name, number, at_end):
    """Search random problems in slices, all arrays guarded; compare with searches as usual."""
    import dlx
    from dlx.search.counters import EXHAUSTED
    from dlx.search.kernel import choose_kernel
    from tests.dlx.problems import random_problem

    guarded = Guarded()
    for seed in range(number):
        draw = random.Random(seed)
        problem = random_problem(seed)
        kernel = choose_kernel(problem, kernel_name)
        whole = list(dlx.Search(problem, kernel=kernel_name))
        state = kernel.start(problem, ())
        state = type(state)(*(_guard(array, guarded, at_end) for array in state))
        found = []
        depth = kernel.max_depth(state)
        while not state.counters[EXHAUSTED]:
            rows = draw.choice([1, 3, 50])
            out = guarded.copy(np.zeros((rows, depth), np.int32), at_end)
            count = kernel.advance(state, draw.choice([1, 7, 100, 10**6]), rows, out)
            found += [tuple(o for o in row if o >= 0) for row in out[:count].tolist()]
        assert found == whole, seed
        guarded.free()


def solve_all(at_end):
    """Search batches of several layouts, all arrays of the kernels guarded."""
    import sudoku
    from sudoku.kernels import masks
    from sudoku.kernels.kernel import UNDECIDED, KernelBatch
    from sudoku.layout import Layout
    from sudoku.solving.driver import kernel_of, tables_of

    guarded = Guarded()
    draw = random.Random(1)
    for box, diagonal, number, *kernels in (
        ((3, 3), False, 300),
        ((3, 3), True, 60, masks),
        ((3, 3), True, 60),
        ((2, 3), False, 60),
        ((2, 2), False, 60),
        ((2, 3), True, 60, masks),
        ((4, 4), False, 6),
        ((3, 5), False, 4),
    ):
        layout = Layout(*box, diagonal)
        grids = np.array(list(sudoku.random_grids(number, box=box, diagonal=diagonal, seed=5)))
        puzzles = grids.reshape(number, -1).astype(np.uint8)
        for row in puzzles:
            row[draw.sample(range(layout.cells), int(layout.cells * 0.55))] = 0
            if draw.random() < 0.1:
                row[0] = row[1] = 1
        expected = sudoku.count_batch(puzzles, limit=3, box=box, diagonal=diagonal)
        kernel = kernels[0] if kernels else kernel_of(layout)
        state = kernel.start(_guard(tables_of(kernel, layout), guarded, at_end))
        state = _guard(state, guarded, at_end)
        counts = np.full(number, UNDECIDED, np.int64)
        batch = KernelBatch(puzzles, 3, counts, np.zeros_like(puzzles), np.zeros(number, np.int64))
        batch = _guard(batch, guarded, at_end)
        while not kernel.advance(state, draw.choice([1, 100, 10_000]), batch):
            pass
        assert np.array_equal(batch.counts, expected), layout
        guarded.free()


def _guard(value, guarded, at_end):
    """Return the same value with guarded arrays."""
    if isinstance(value, np.ndarray):
        return guarded.copy(value, at_end) if value.nbytes and value.flags.forc else value
    if isinstance(value, tuple):
        parts = [_guard(part, guarded, at_end) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def namespaces():
    """Return the dictionaries of both packages that may hold compiled functions."""
    for title, module in sorted(sys.modules.items()):
        if title.startswith(("dlx.", "sudoku.")):
            yield vars(module)
            yield from [value for value in vars(module).values() if type(value) is dict]


def guard_calls(at_end):
    """Let Python call compiled functions on guarded copies of all arrays; return whom it calls.

    What they need must have been compiled.
    """
    from numba.core.dispatcher import Dispatcher

    called = set()
    guarded = Guarded()  # no two of the calls are at the same time

    @cache
    def guard_function(function):
        def call(*arguments):
            called.add(function.__name__)
            own = _guard(arguments, guarded, at_end)
            result = function(*own)
            _copy_back(own, arguments)
            guarded.free()
            return result

        call.guarded = function
        return call

    for names in list(namespaces()):
        for name, value in list(names.items()):
            function = getattr(value, "guarded", value)  # perhaps at the other end
            if isinstance(function, Dispatcher):
                names[name] = guard_function(function)
    return called


def _copy_back(source, target):
    if isinstance(source, np.ndarray):
        if target.flags.writeable:
            np.copyto(target, source)
    elif isinstance(source, tuple):
        for own, other in zip(source, target, strict=True):
            _copy_back(own, other)


def questions():
    """Return answers of kernels for counts, deductions and numbers of grids."""
    import dlx
    import sudoku
    from benchmarks import problems
    from dlx.count import rounds, table
    from dlx.logic import deducer
    from sudoku.grids import grid_numbers
    from tests.dlx.problems import random_problem

    deducer.INTERPRETED = grid_numbers.FEW_GRIDS = 0
    table.LEAST_ARENA = 16  # so that states move to larger arenas
    table.LEAST_IN_ROUNDS, rounds.MOST_OPEN_STATES, rounds.MOST_CHILDREN = 16, 1 << 12, 1 << 11
    board = problems.dominoes(8, 8)
    answers = [dlx.count_solutions(board, method="sweep", memory_limit=33_000)]
    answers += [dlx.count_solutions(own, method="sweep") for own in (board, problems.latin(4))]
    with TemporaryDirectory() as folder:  # by batches of states
        answers.append(dlx.count_solutions(board, method="sweep", spill=folder))
    for seed in range(6):
        problem = random_problem(seed)
        answers.append(dlx.solution_set(problem).count)
        answers.append([step.deleted for step in islice(deducer.Deducer(problem), 20)])
    for box in ((3, 3), (2, 3)):
        grids = sudoku.grids.random_grids(20, seed=1, box=box)
        answers.append(sudoku.grids.indices_of(grids, box))
    answers += [sudoku.count_grids(2, 3), sudoku.count_grids(3, 3)]
    return answers


def ask_all():
    """Ask all of that, then again with all arrays guarded, at both ends."""
    expected = questions()
    for at_end in (True, False):
        print("guarded at the end" if at_end else "guarded at the beginning", flush=True)
        called = guard_calls(at_end)
        assert questions() == expected
    print(*sorted(called))


def overrun(at_end):
    """Read one number beyond an array, as a broken kernel would."""
    array = Guarded().copy(np.zeros(16, np.int64), at_end)
    beyond = array.ctypes.data + (array.nbytes if at_end else -8)
    ctypes.c_int64.from_address(beyond).value  # noqa: B018


def in_process(call):
    code = f"import tests.faults.test_guard_pages as own; own.{call}"
    return processes.run([sys.executable, "-c", code], cwd=ROOT, text=True, timeout=300)


@pytest.mark.parametrize("at_end", [True, False])
def test_access_beyond_a_guarded_array_ends_the_process(at_end):
    assert in_process(f"overrun({at_end})").returncode == -signal.SIGSEGV


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("kernel", ["bits", "links"])
def test_searches_stay_within_their_arrays(kernel, at_end):
    done = in_process(f"search_all({kernel!r}, 60, {at_end})")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("at_end", [True, False])
def test_sudoku_kernels_stay_within_their_arrays(at_end):
    done = in_process(f"solve_all({at_end})")
    assert done.returncode == 0, done.stderr


def test_all_other_kernels_stay_within_their_arrays():
    done = in_process("ask_all()")
    assert done.returncode == 0, done.stdout + done.stderr
    called = done.stdout.splitlines()[-1].split()
    assert {"collect", "move", "refine", "greedy", "walk", "estimate", "begin"} <= {*called}
    assert {"expand_states", "take_part"} <= {*called}
    assert {"chain", "delete", "rank", "unrank"} <= {*called}
