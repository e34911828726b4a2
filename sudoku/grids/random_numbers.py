"""Random numbers by counter: each depends on its key and its own number, on nothing before it.

So the k-th grid of a seed is the same on every machine, in whatever pieces and by however many
workers it is made. The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast
splittable pseudorandom number generators", OOPSLA 2014), a bijection of 64-bit words.
"""

from __future__ import annotations

import secrets
from operator import index

import numpy as np
from numpy.typing import NDArray

from sudoku.errors import SudokuError

Words = NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15
_ROUNDS = 12
_ALL = (1 << 64) - 1


def mix(words: Words) -> Words:
    """SplitMix64's finaliser, word by word; a fresh array."""
    words = words ^ (words >> np.uint64(30))
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def key_of(seed: int | None, *purpose: int) -> int:
    """A 64-bit key from a seed of any size and small numbers that keep uses apart.

    ``None`` draws a seed from the system. Negative seeds are seeds of their own.

    Raises:
        SudokuError: the seed is not an integer.

    >>> key_of(1, 2) == key_of(1, 2) != key_of(1, 3)
    True
    """
    if seed is None:
        seed = fresh_seed()
    try:
        seed = index(seed)
    except TypeError:
        raise SudokuError(f"seed {seed!r}: an integer is needed") from None
    limbs = [seed >> shift & _ALL for shift in range(0, max(seed.bit_length(), 1) + 1, 64)]
    key = 0
    for word in (*limbs, len(limbs), *purpose):
        key = int(mix(np.array([(key ^ word) * _STEP + _STEP & _ALL], np.uint64))[0])
    return key


def fresh_seed() -> int:
    """A seed that nobody has used, short enough to be typed."""
    return secrets.randbits(48)


def words(key: int, counters: Words, stream: int = 0) -> Words:
    """Random 64-bit words, one a counter; ``stream`` gives more words to the same counters."""
    offset = np.uint64((key + stream * 0xD1B54A32D192ED03) & _ALL)
    return mix(mix(counters * np.uint64(_STEP) + offset) ^ offset)


def below(bound: int, key: int, counters: Words, stream: int = 0) -> Words:
    """Exactly uniform numbers 0 to ``bound - 1`` (at most 2^63), given uniform words.

    Words above the last multiple of ``bound`` are drawn again, from streams 256 apart.

    >>> below(6, 1, np.arange(8, dtype=np.uint64)).max() < 6
    np.True_
    """
    drawn = words(key, counters, stream)
    last = np.uint64((1 << 64) // bound * bound - 1)
    while (again := np.flatnonzero(drawn > last)).size:
        stream += 256
        drawn[again] = words(key, counters[again], stream)
    return drawn % np.uint64(bound)


def permute(key: int, high: int, low: int, counters: Words) -> tuple[Words, Words]:
    """A keyed permutation of the pairs (0 to high - 1, 0 to low - 1).

    ``counters`` are pairs written as ``a * low + b`` modulo 2^64 would be too narrow for,
    so they count from 0 in an order of their own: a counter below 2^63 stands for the pair
    (counter // low, counter % low). Both sides of a Feistel network on Z_high x Z_low are
    permuted in turn by adding a function of the other side (Black and Rogaway, "Ciphers with
    arbitrary finite domains", CT-RSA 2002), so different counters give different pairs.

    >>> pairs = permute(7, 3, 4, np.arange(12, dtype=np.uint64))
    >>> len(set(zip(*(side.tolist() for side in pairs))))
    12
    """
    a, b = counters // np.uint64(low), counters % np.uint64(low)
    for number in range(_ROUNDS):
        a = (a + words(key, b, 2 * number) % np.uint64(high)) % np.uint64(high)
        b = (b + words(key, a, 2 * number + 1) % np.uint64(low)) % np.uint64(low)
    return a, b
