"""Clusters: executors of Dask, which is imported when one is used."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

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
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        text = "Dask is not installed: pip install 'dlx-sudoku[dask]'"
        raise WorkerError(text) from None
    if address == "local":
        number = as_jobs(jobs) or num_cores()
        # any free port: for None Dask takes port 8787, and warns where that is in use
        with (
            LocalCluster(
                n_workers=number,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
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
