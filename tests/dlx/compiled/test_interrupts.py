"""A Ctrl-C while compiled code is loaded takes effect afterwards."""

import signal
import threading

import pytest

from dlx.compiled.interrupts import interrupts_later


@pytest.fixture
def handlers():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(seen):
    with interrupts_later():
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
            seen.append("loading")


def test_the_block_ends_before_the_interrupt_is_raised():
    seen = []
    with pytest.raises(KeyboardInterrupt):
        interrupted(seen)
    assert seen == ["loading"] * 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_own_handler_is_called_once_and_stays(handlers):
    def handler(number, frame):
        seen.append(number)

    seen = []
    signal.signal(signal.SIGINT, handler)
    interrupted(seen)
    assert seen == ["loading"] * 2 + [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is handler


def test_where_ctrl_c_is_ignored_it_stays_so(handlers):
    seen = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupted(seen)
    assert seen == ["loading"] * 2
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_an_error_in_the_block_is_raised_and_the_handler_restored():
    with pytest.raises(ValueError), interrupts_later():
        raise ValueError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_block_may_allow_interrupts_before_it_ends():
    seen = []
    with pytest.raises(KeyboardInterrupt), interrupts_later() as allow:
        signal.raise_signal(signal.SIGINT)
        seen.append("loading")
        allow()
        seen.append("compiling")
    assert seen == ["loading"]


def test_a_handler_that_is_set_after_the_interrupts_are_allowed_stays(handlers):
    with interrupts_later() as allow:
        allow()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    allow()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_another_thread_changes_no_handler():
    def load():
        with interrupts_later():
            seen.append(signal.getsignal(signal.SIGINT))

    seen = []
    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
