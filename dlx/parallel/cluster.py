"""Clusters: executors of Dask, which is imported when one is used."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker

from dlx.checks import as_jobs, num_cores
from dlx.errors import WorkerError

JOIN_SECONDS = 30  # until the first worker joins


@contextmanager
def dask_executor(address: str, jobs: int | str | None = None) -> Iterator[Executor]:
    """Return an executor of a Dask cluster, for the time of a `with` block.

    Parameters
    ----------
    address : str
        Of a scheduler, such as ``tcp://10.0.0.1:8786``, or ``local`` to start worker processes on
        this machine.
    jobs : int or "all", optional
        The number of local workers; by default one for each core that this process may use.

    Raises
    ------
    WorkerError
        Dask is not installed, there is no scheduler at the address, or it has no workers and gets
        none within some seconds.
    """
    method = _forked() if address == "local" else ""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        text = "Dask is not installed: pip install 'dlx-sudoku[dask]'"
        raise WorkerError(text) from None
    if address == "local":
        number = as_jobs(jobs) or num_cores()
        import dlx.parallel.preload  # noqa: F401 (while the other process is busy with that, too)

        settings = {
            "distributed.worker.multiprocessing-method": method,
            "distributed.worker.profile.enabled": False,  # samples a task 100 times a second: 6 %
        }
        with (
            dask.config.set(settings),
            LocalCluster(
                n_workers=number,
                threads_per_worker=1,
                processes=True,
                # any free port: for None Dask takes port 8787, and warns where that is in use
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.ERROR,  # else Dask warns of each task that Ctrl-C ends
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client.get_executor()
        return
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise WorkerError(f"{address}: no Dask scheduler answers there: {error}") from None
    except MemoryError:  # Dask takes the first eight bytes of any answer for a length
        text = f"{address}: no Dask scheduler answers there, but another program"
        raise WorkerError(text) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=JOIN_SECONDS)
        except TimeoutError:
            text = f"{address}: no worker has joined this cluster in {JOIN_SECONDS} s; start one:"
            raise WorkerError(f"{text} dask worker {address}") from None
        yield client.get_executor()


def _start_tracker() -> None:
    """Start Python's process that removes the semaphores of processes that have died.

    It would warn of them when a command ends at once, as after Ctrl-C. It takes the filters of
    warnings that this process was started with.
    """
    before = sys.warnoptions[:]
    sys.warnoptions.append("ignore:resource_tracker")
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions[:] = before


def _forked() -> str:
    """Start the process from which workers are forked, if possible; return their start method.

    It imports Dask and numba once for all workers, also for those that replace a dead worker, while
    this process imports them, too. It ignores Ctrl-C, which this process handles.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return "spawn"
    multiprocessing.set_forkserver_preload(["distributed", "dlx.parallel.preload"])
    _start_tracker()  # else it is started below, and ends the blocking
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return "forkserver"
