"""A long test, ``python -m tests.long_grids``: the numbers of a million distinct, valid grids.

Then all 10 x 10 grids are counted. It takes half a minute on one core and 700 MB; the test suite
does the same with thousands of grids, and with smaller ones.
"""

import sys

import numpy as np

from sudoku.grids import count_grids, distinct_grids, grids_at, indices_of
from sudoku.layout import Layout


def main(n=1_000_000):
    """Print what was found; the exit status is 1 if anything is wrong."""
    found = distinct_grids(n, seed=2026)
    digits = np.arange(1, 10)
    valid = all((np.sort(found[:, h], axis=1) == digits).all() for h in Layout(3, 3).houses)
    indices = indices_of(found)
    distinct = len(set(indices)) == n
    back = all(
        (grids_at(indices[k : k + 100_000]) == found[k : k + 100_000]).all()
        for k in range(0, n, 100_000)
    )
    print(f"{n} grids: valid {valid}, distinct {distinct}, grid_at(index_of(grid)) == grid {back}")
    counted = count_grids(2, 5) == 1_903_816_047_972_624_930_994_913_280_000
    print(f"2x5 total as in the literature {counted}")
    return 0 if valid and distinct and back and counted else 1


if __name__ == "__main__":
    sys.exit(main())
