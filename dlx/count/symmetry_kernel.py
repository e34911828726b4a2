"""Kernel: permutations of the bits of a problem that leave its options as they are.

Two colourings of the bits, `left` and `right`, are refined side by side (`order_kernel.refine`).
Where each bit has a colour of its own in both, equal colours say which bit takes the place of
which. The caller checks that the result maps options to options.
"""

from __future__ import annotations

import numpy as np

from dlx.compiled import allocating
from dlx.count.order_kernel import _mix, invariant, refine


@allocating
def exchange(option, bit, field, num_options, base, a, b, image):  # type: ignore[no-untyped-def]
    """Seek an exchange of bits a and b that leaves most other bits in their places.

    Parameters
    ----------
    option, bit, field, num_options
        As for `refine`.
    base : uint64[bits]
        Refined colours, equal for a and b.
    a, b : int
    image : int64[bits]
        Filled: the bit that takes the place of each one.

    Returns
    -------
    found, rounds : bool, int
        Whether there is a candidate, and the rounds of refinement that it took.
    """
    num_bits = len(base)
    most = np.int64(1 << 30)
    left, right = base.copy(), base.copy()
    left[a] = right[b] = np.uint64(5)
    left[b] = right[a] = np.uint64(6)
    rounds = np.int64(0)
    step = np.int64(0)
    while True:
        classes, some = refine(option, bit, field, num_options, left, most)
        others, more = refine(option, bit, field, num_options, right, most)
        rounds += some + more
        if classes != others or invariant(left) != invariant(right):
            return False, rounds
        if classes == num_bits:
            break
        step += 1
        if step == 1:  # leave in place whatever can stay
            for c in range(num_bits):
                if left[c] == right[c]:
                    left[c] = right[c] = _mix(np.uint64(7919 + c))
            continue
        order = np.argsort(left)
        x = np.int64(-1)
        for k in range(num_bits - 1):
            if left[order[k]] == left[order[k + 1]]:
                x = order[k]
                break
        y = np.int64(-1)
        for c in range(num_bits):
            if right[c] == left[x] and left[c] == right[x]:
                y = np.int64(c)
                break
        if y < 0:
            return False, rounds
        mark = np.uint64(8 + 2 * step)
        left[x] = right[y] = mark
        left[y] = right[x] = mark + np.uint64(1 if x != y else 0)
    of_left, of_right = np.argsort(left), np.argsort(right)
    for k in range(num_bits):
        if left[of_left[k]] != right[of_right[k]]:
            return False, rounds
        image[of_left[k]] = of_right[k]
    for c in range(num_bits):
        if image[image[c]] != c:
            return False, rounds
    return True, rounds
