"""The threads of a count: each call is made once, and its result or error comes back."""

import gc
import threading
import weakref

import numba
import numpy as np
import pytest

from dlx.compiled.atomics import wait_for_change
from dlx.count.spinning import SpinningThreads


@pytest.mark.parametrize("number", [1, 3])
def test_all_calls_are_made_once(number):
    made = []

    def call(k, *, factor):
        made.append(k)
        return factor * k

    workers = SpinningThreads(number)
    futures = [workers.submit(call, k, factor=3) for k in range(200)]
    assert [future.result() for future in futures] == list(range(0, 600, 3))
    assert sorted(made) == list(range(200))


def test_calls_run_at_the_same_time():
    workers, meeting = SpinningThreads(3), threading.Barrier(4)
    futures = [workers.submit(meeting.wait, 60) for _ in range(3)]
    meeting.wait(60)
    assert sorted(future.result() for future in futures) != [3, 3, 3]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_comes_back_and_the_thread_continues(error):
    def call():
        raise error

    workers = SpinningThreads(1)
    failed = workers.submit(call)
    assert workers.submit(int).result() == 0
    with pytest.raises(error):
        failed.result()


def test_a_waiting_call_can_be_cancelled():
    workers, busy, made = SpinningThreads(1), threading.Event(), []
    first = workers.submit(busy.wait)
    second, third = (workers.submit(made.append, k) for k in (2, 3))
    assert second.cancel() and second.wait()
    busy.set()
    third.result()
    assert made == [3]
    assert first.wait() and not first.cancel() and not third.cancel()


def test_waiting_for_a_call_ends_after_a_time():
    workers, busy = SpinningThreads(1), threading.Event()
    call = workers.submit(busy.wait)
    assert not call.wait(0)
    busy.set()
    assert call.wait(60) and call.result()


def test_an_error_does_not_keep_its_call_alive():
    def call():
        raise ValueError

    workers = SpinningThreads(1)
    failed = workers.submit(call)
    with pytest.raises(ValueError):
        failed.result()
    workers.submit(int).result()  # so the thread has no longer the other call
    reference = weakref.ref(failed)
    gc.disable()
    try:
        del failed
        assert reference() is None
    finally:
        gc.enable()


def test_a_thread_that_is_awake_takes_the_next_call():
    """Here it looks without an end, so that only a call can stop it."""
    workers, own = SpinningThreads(1), threading.get_ident()
    workers._looks = 1 << 62
    threads = {workers.submit(threading.get_ident).result() for _ in range(5)}
    assert len(threads) == 1 and own not in threads
    workers._looks = 0
    workers.submit(int).result()


def test_with_as_many_threads_as_cores_none_stays_awake(monkeypatch):
    monkeypatch.setattr("dlx.count.spinning.num_cores", lambda: 2)
    assert (SpinningThreads(1)._looks > 0) == (not numba.config.DISABLE_JIT)
    assert SpinningThreads(2)._looks == 0


def test_threads_end_with_their_owner():
    before = set(threading.enumerate())
    workers = SpinningThreads(2)
    threads = set(threading.enumerate()) - before
    assert len(threads) == 2
    assert workers.submit(int).result() == 0
    del workers
    gc.collect()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_a_thread_spins_for_a_bounded_time():
    array = np.array([5] + [0] * 7)
    assert not wait_for_change(array, 5, 1000)
    assert not wait_for_change(array, 4, 0)
    assert wait_for_change(array, 4, 1)
