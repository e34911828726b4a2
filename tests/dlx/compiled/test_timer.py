"""The time for which numba compiles."""

from threading import Event, Thread

from numba.core.compiler_lock import global_compiler_lock

from dlx.compiled.timer import CompileTimer


class Holder(Thread):
    """A thread that has the lock of numba from its start to `end`."""

    def __init__(self):
        super().__init__()
        self._has, self._may_end = Event(), Event()
        self.start()
        self._has.wait()

    def run(self):
        with global_compiler_lock:
            self._has.set()
            self._may_end.wait()

    def end(self):
        """Release the lock."""
        self._may_end.set()
        self.join()


def test_the_time_within_the_lock_is_counted_once(clock):
    with CompileTimer() as compiled:
        assert compiled() == 0
        with global_compiler_lock:
            clock.now = 2
            with global_compiler_lock:
                clock.now = 3
            assert compiled() == 3
        clock.now = 10
        assert compiled() == 3
        with global_compiler_lock:
            clock.now = 11
        assert compiled() == 4


def test_what_another_thread_began_before_the_block_ends_within_it(clock):
    holder = Holder()
    with CompileTimer() as compiled:
        clock.now = 1
        holder.end()
        assert compiled() == 0
        with global_compiler_lock:
            clock.now = 5
        assert compiled() == 4


def test_the_time_of_other_threads_within_the_block_is_counted(clock):
    with CompileTimer() as compiled:
        holder = Holder()
        clock.now = 2
        assert compiled() == 2
        holder.end()
        clock.now = 3
        assert compiled() == 2
