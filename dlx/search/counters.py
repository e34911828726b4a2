"""Places in the counters of a search state; the first five are the same for all kernels.

Only compiled code changes the counters, so they are valid whenever an interrupt arrives.

NODES : nodes of the search tree visited so far.
    `links` counts every option tried and the root. `bits` counts only options tried where an
    item had several: an option that is the last one of an item costs no node. `bounds` counts
    every set of decisions that is not a dead end, solutions among them. The search for cheapest
    solutions (`dlx.costs`) counts every set of chosen options. A sweep counts the states that it
    expands.
UPDATES : work done so far, in a unit of the kernel; a budget is in the same unit.
    `links` counts options removed from the list of an item. `bits` counts vectors of 64 bytes
    computed. `bounds` counts options removed from all their items. The search for cheapest
    solutions counts the entries and items of each evaluation of a bound. A sweep has no updates: 0.
    Updates of different kernels cannot be compared.
EXHAUSTED : 1 once the whole tree has been searched, else 0.
LEVEL : depth of the search; -1 or 0 once it is exhausted.
SOLUTIONS : solutions found so far.
OWN : the first place that a kernel may use for itself; there are `LENGTH` places.

UNLIMITED is more than any counter reaches: a budget or a number of solutions without a limit.

numba's cache does not notice a change of this file: delete `__pycache__` after one.
"""

from __future__ import annotations

NODES, UPDATES, EXHAUSTED, LEVEL, SOLUTIONS, OWN = range(6)
LENGTH = 8
UNLIMITED = 1 << 62
