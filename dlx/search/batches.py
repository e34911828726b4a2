"""Batches of solutions: rows of an array, as kernels write them, and tuples."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from dlx.problem import Int32s

FEW_ROWS = 32
"""Solutions that are made at once: to see whether their lengths differ takes longer."""


def stream(batch: Int32s) -> Iterator[tuple[int, ...]]:
    """Return an iterator over the solutions of a batch that makes each one when it is read.

    `operator.length_hint` of the iterator is the number of solutions left. Making them all at
    once takes five times as long, since the garbage collector then runs often.

    Parameters
    ----------
    batch : int32[solutions, depth]
        A row holds the options of a solution, ascending, padded with -1.
    """
    if len(batch) <= FEW_ROWS:
        rows = batch.tolist()
        return iter([tuple(row[: row.index(-1)] if row and row[-1] < 0 else row) for row in rows])
    length = int(np.count_nonzero(batch[:1] >= 0))
    if length and (batch[:, length - 1] >= 0).all() and (batch[:, length:] < 0).all():
        return struct.iter_unpack(f"{length}i", np.ascontiguousarray(batch[:, :length]).data)
    lengths = np.count_nonzero(batch >= 0, axis=1)
    return iter([tuple(row[:k]) for row, k in zip(batch.tolist(), lengths.tolist(), strict=True)])


def tuples(batch: Int32s) -> list[tuple[int, ...]]:
    """Return the solutions of a batch.

    >>> tuples(np.array([[0, 2, 3], [1, 4, -1]], np.int32))
    [(0, 2, 3), (1, 4)]
    """
    return list(stream(batch))


def padded(solutions: list[tuple[int, ...]], depth: int) -> Int32s:
    """Return solutions as a batch of this depth.

    >>> padded([(0, 2, 3), (1, 4)], 3).tolist()
    [[0, 2, 3], [1, 4, -1]]
    """
    batch = np.full((len(solutions), depth), -1, np.int32)
    for row, solution in zip(batch, solutions, strict=True):
        row[: len(solution)] = solution
    return batch
