"""The search over bit masks: every primary item's options as the bits of a lane of its own.

A *row* is one state of the search, or what one option leaves possible. It is made of vectors
of 64 bytes; a vector has 64 lanes of 8 bits, or 16 lanes of 32 bits:

    open lanes | block 0: plane 0, plane 1, ... | block 1: plane 0, ... | ...

A *block* is as many primary items as a vector has lanes. Lane k of its planes holds one bit for
each option of its item number k: plane 0 the first ones, plane 1 the next, and so on. Before the
blocks stands one bit for each lane: is that item still open?

Row `keep[o]` has the bits of all options that may stand beside option o, of o itself, and of
the lanes that o leaves open. Choosing o is then `row &= keep[o]`, nothing is ever undone, and
the row says it all:

* a lane without a bit: that item cannot be covered any more;
* an open lane with one bit: that option is forced, and all of these can be chosen at once;
* no lane open, no lane empty: the chosen options are a cover.

Where no option has a secondary item, two short cuts at the end of a branch hold:

* all lanes have one bit: the options that are left cover each item once, so they are a cover;
* all open lanes have two bits, and choosing one option for the first lane led to a cover without
  further choice: the options not chosen by it are in each open item once, so they are another.
  If it led to a dead end, so does the other option, for the same reason.

The choice: the item with the fewest options left, among equals the one with the fewest at the
start, then the first. Its options are tried in ascending order. Levels are kept only where an
option is left to try: the last option of an item takes the place of its parent.

Vectors are written in LLVM's portable form, so every processor runs the same search. Lanes are
numbered by little-endian bytes, which is what numba runs on.

Tried and left out, each over pentominoes, Soma, queens, Langford pairs, Latin squares, sudoku,
random sets and coloured squares: ties broken by how often an item ran out of options, or by the
most options at the start (0.6 to 1.2 times the nodes, but ten times on 16 x 16 sudoku);
options left divided by that number of failures (up to 5 times the nodes); and for consistency
`row &= keep[a] | keep[b] | ...` for the options of the branched item (up to 30 % fewer nodes, for
about as many more rows met), or of all items with two or three options (up to 45 % fewer nodes,
for two to eight times the rows).

Sources: Knuth, The Art of Computer Programming 4B, 7.2.2.1 (exact cover, the MRV heuristic);
masks per item and copying instead of undoing: folklore among sudoku programs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

VECTOR = 64  # bytes
U = np.uint64  # an index of this type spares numba the test for negative ones
ONE = np.uint64(1)

# places in State.counters; the first five are the same in all kernels
NODES, UPDATES, EXHAUSTED, LEVEL, SOLUTIONS, TICK, PLAIN, DEPTH = range(8)

# values of State.left beside the number of options that are left to try
ROOT_IS_COVER = 0  # only at level 0: the given options cover all
TWINS = -1  # two options, and all open lanes have two bits
TWIN_IS_COVER = -2  # the first of the two led to a cover, which stands at the next level


class State(NamedTuple):
    """A search at rest, between two calls of `advance`. W is the lanes' unsigned integer type.

    keep : W[num_options * size], row o is what option o leaves possible
    option_of : int32[size * bits of W], the option of each bit of a row
    first : int64[blocks + 1], the first vector of each block; ends with the vectors of a row
    masks : W[levels * size], the rows of the levels
    branch : int64[levels], the place in the row of the lane that is branched on
    left : int64[levels], how many of its options are to be tried; their bits are still there
    share : float64[levels], the part of the whole search that each of these options stands for
    witness : int64[lanes, 2], lanes that together show all options of a cover: place in the row,
        and planes
    lowest : int32[lanes or 0], their lowest options, if the options of a cover can be read in order
        from consecutive lanes of one plane
    besides : int32[], given options without a primary item: they are in no lane
    counts, single, pending, stamp, bag : scratch of `advance`
    counters : int64[8], see above; LEVEL is -1 at the end, PLAIN says that there are no
        secondary items, DEPTH is the length of a cover at most;
        TICK numbers the uses of `stamp`
    """

    keep: Any
    option_of: Any
    first: Any
    masks: Any
    branch: Any
    left: Any
    share: Any
    witness: Any
    lowest: Any
    besides: Any
    counts: Any
    single: Any
    pending: Any
    stamp: Any
    bag: Any
    counters: Any


if config.DISABLE_JIT:
    # The same operations on numpy arrays, for debugging.

    def _bits(word: Any) -> Any:
        return np.unpackbits(word.view(np.uint8).reshape(len(word), -1), axis=1).sum(axis=1)

    def _mask(lanes: Any) -> np.uint64:
        return U(sum(1 << k for k in np.flatnonzero(lanes).tolist()))

    def _swap(masks: Any, row: int, parent: int, begin: int, end: int, block: int) -> None:
        lanes = VECTOR // masks.itemsize
        is_open = [bool(int(_open(masks, parent, block)) >> k & 1) for k in range(lanes)]
        for at in range(begin * lanes, end * lanes, lanes):
            own = masks[row + at : row + at + lanes]
            other = masks[parent + at : parent + at + lanes]
            own[:] = np.where(is_open, other & ~own, own)

    def _width(masks: Any) -> int:
        return 8 * int(masks.itemsize)

    def _lowest(word: Any) -> int:
        return (int(word) & -int(word)).bit_length() - 1

    def _intersect(
        masks: Any, to: int, source: int, keep: Any, pending: Any, count: int, size: int,
        begin: int, end: int,
    ) -> None:  # fmt: skip
        lanes = VECTOR // masks.itemsize
        part = slice(begin * lanes, end * lanes)
        row = masks[source : source + size][part]
        for option in pending[:count].tolist():
            row = row & keep[option * size : (option + 1) * size][part]
        masks[to : to + size][part] = row

    def _narrow(
        masks: Any, to: int, source: int, keep: Any, pending: Any, count: int, size: int,
        begin: int, end: int, counts: Any, block: int,
    ) -> tuple[np.uint64, np.uint64]:  # fmt: skip
        _intersect(masks, to, source, keep, pending, count, size, begin, end)
        lanes = VECTOR // masks.itemsize
        planes = masks[to + begin * lanes : to + end * lanes]
        total = _bits(planes).reshape(-1, lanes).sum(axis=0)
        own = counts[block * lanes : (block + 1) * lanes]
        own[:] = total
        return _mask(own == 0), _mask(own == 1)

    def _sizes(counts: Any, block: int) -> tuple[np.uint64, np.uint64]:
        lanes = VECTOR // counts.itemsize
        own = counts[block * lanes : (block + 1) * lanes]
        return _mask(own == 2), _mask(own > 2)

    def _least(counts: Any, block: int) -> tuple[np.uint64, np.uint64]:
        lanes = VECTOR // counts.itemsize
        own = counts[block * lanes : (block + 1) * lanes].astype(np.int64)
        own[own < 2] = 2**32
        return U(own.min()), _mask(own == own.min())

    def _open(masks: Any, row: int, block: int) -> np.uint64:
        wide = VECTOR // masks.itemsize // 8
        own = masks.view(np.uint8)[row * masks.itemsize + block * wide :][:wide]
        return U(int.from_bytes(own.tobytes(), "little"))

else:
    from llvmlite import ir
    from numba.core import cgutils

    _INT = ir.IntType(64)

    def _vector(masks: Any) -> Any:
        width = masks.dtype.bitwidth
        return ir.VectorType(ir.IntType(width), VECTOR * 8 // width)

    def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any, to: Any) -> Any:
        data = context.make_array(kind)(context, builder, array).data
        return builder.bitcast(builder.gep(data, [at]), to.as_pointer())

    def _load(builder: Any, pointer: Any, at: Any) -> Any:
        value = builder.load(builder.gep(pointer, [at]))
        value.align = value.type.element.width // 8
        return value

    def _store(builder: Any, value: Any, pointer: Any, at: Any) -> None:
        builder.store(value, builder.gep(pointer, [at])).align = value.type.element.width // 8

    def _call(builder: Any, name: str, result: Any, *values: Any) -> Any:
        kind = ir.FunctionType(result, [value.type for value in values])
        vector = values[0].type
        name = f"llvm.{name}.v{vector.count}i{vector.element.width}"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), values)

    def _all(vector: Any, value: int) -> Any:
        return ir.Constant(vector, [value] * vector.count)

    def _word(builder: Any, lanes: Any) -> Any:
        word = builder.bitcast(lanes, ir.IntType(lanes.type.count))
        return word if word.type.width == 64 else builder.zext(word, _INT)

    def _fold(builder: Any, start: Any, stop: Any, value: Any, step: Callable[..., Any]) -> Any:
        """The last value of: for i in range(start, stop): value = step(i, value)."""
        before = builder.block
        head, body, end = (builder.append_basic_block(name) for name in ("head", "body", "end"))
        builder.branch(head)
        builder.position_at_end(head)
        i, current = builder.phi(_INT), builder.phi(value.type)
        i.add_incoming(start, before)
        current.add_incoming(value, before)
        builder.cbranch(builder.icmp_signed("<", i, stop), body, end)
        builder.position_at_end(body)
        following = step(i, current)
        i.add_incoming(builder.add(i, _INT(1)), builder.block)
        current.add_incoming(following, builder.block)
        builder.branch(head)
        builder.position_at_end(end)
        return current

    def _meeting(context: Any, builder: Any, sig: Any, args: Any) -> Callable[[Any], Any]:
        """How to meet one vector: masks[to] = masks[source] & the keep rows of all pending."""
        masks, to, source, keep, pending, count, size = args[:7]
        vector = _vector(sig.args[0])
        target = _pointer(context, builder, sig.args[0], masks, to, vector)
        origin = _pointer(context, builder, sig.args[0], masks, source, vector)
        options = _pointer(context, builder, sig.args[4], pending, _INT(0), _INT)

        def row(k: Any) -> Any:
            at = builder.mul(builder.load(builder.gep(options, [k])), size)
            return _pointer(context, builder, sig.args[3], keep, at, vector)

        first = row(_INT(0))

        def meet(i: Any) -> Any:
            def also(k: Any, value: Any) -> Any:
                return builder.and_(value, _load(builder, row(k), i))

            value = builder.and_(_load(builder, origin, i), _load(builder, first, i))
            value = _fold(builder, _INT(1), count, value, also)
            _store(builder, value, target, i)
            return value

        return meet

    @intrinsic
    def _intersect(_: Any, masks: Any, to: Any, source: Any, keep: Any, pending: Any, count: Any,
                   size: Any, begin: Any, end: Any) -> Any:  # fmt: skip
        """Meet the vectors [begin, end) of a row."""
        n = types.int64
        sig = types.void(masks, n, n, keep, pending, n, n, n, n)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            meet = _meeting(context, builder, sig, args)
            with cgutils.for_range(builder, args[8], start=args[7]) as loop:
                meet(loop.index)
            return context.get_dummy_value()

        return sig, generate

    @intrinsic
    def _narrow(_: Any, masks: Any, to: Any, source: Any, keep: Any, pending: Any, count: Any,
                size: Any, begin: Any, end: Any, counts: Any, block: Any) -> Any:  # fmt: skip
        """Meet the planes [begin, end) of a block; count each lane's bits.

        Returns the lanes with no bit and the lanes with one.
        """
        n = types.int64
        pair = types.UniTuple(types.uint64, 2)
        sig = pair(masks, n, n, keep, pending, n, n, n, n, counts, n)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            begin, end, counts, block = args[7:]
            meet = _meeting(context, builder, sig, args)
            vector = _vector(sig.args[0])

            def add(i: Any, total: Any) -> Any:
                return builder.add(total, _call(builder, "ctpop", vector, meet(i)))

            total = _call(builder, "ctpop", vector, meet(begin))
            total = _fold(builder, builder.add(begin, _INT(1)), end, total, add)
            to = _pointer(context, builder, sig.args[9], counts, _INT(0), vector)
            _store(builder, total, to, block)
            masks = [_word(builder, builder.icmp_unsigned("==", total, _all(vector, k)))
                     for k in (0, 1)]  # fmt: skip
            return context.make_tuple(builder, sig.return_type, masks)

        return sig, generate

    @intrinsic
    def _sizes(_: Any, counts: Any, block: Any) -> Any:
        """The lanes of a block with two bits, and those with more."""
        sig = types.UniTuple(types.uint64, 2)(counts, types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _vector(sig.args[0])
            own = _pointer(context, builder, sig.args[0], args[0], _INT(0), vector)
            total = _load(builder, own, args[1])
            masks = [_word(builder, builder.icmp_unsigned(relation, total, _all(vector, 2)))
                     for relation in ("==", ">")]  # fmt: skip
            return context.make_tuple(builder, sig.return_type, masks)

        return sig, generate

    @intrinsic
    def _least(_: Any, counts: Any, block: Any) -> Any:
        """The least count above one in a block, or a huge number; and the lanes that have it."""
        sig = types.UniTuple(types.uint64, 2)(counts, types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _vector(sig.args[0])
            own = _pointer(context, builder, sig.args[0], args[0], _INT(0), vector)
            # less two: counts of none and one become the greatest ones
            total = builder.sub(_load(builder, own, args[1]), _all(vector, 2))
            least = _call(builder, "vector.reduce.umin", vector.element, total)
            undefined = ir.Constant(vector, ir.Undefined)
            everywhere = builder.insert_element(undefined, least, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
            everywhere = builder.shuffle_vector(everywhere, undefined, zeros)
            ties = _word(builder, builder.icmp_unsigned("==", total, everywhere))
            least = builder.add(builder.zext(least, _INT), _INT(2))
            return context.make_tuple(builder, sig.return_type, [least, ties])

        return sig, generate

    @intrinsic
    def _open(_: Any, masks: Any, row: Any, block: Any) -> Any:
        """The open lanes of a block."""
        sig = types.uint64(masks, types.int64, types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            lanes = ir.IntType(_vector(sig.args[0]).count)
            pointer = _pointer(context, builder, sig.args[0], args[0], args[1], lanes)
            word = builder.load(builder.gep(pointer, [args[2]]))
            word.align = 1
            return word if lanes.width == 64 else builder.zext(word, _INT)

        return sig, generate

    @intrinsic
    def _swap(_: Any, masks: Any, row: Any, parent: Any, begin: Any, end: Any, block: Any) -> Any:
        """In the lanes of a block that are open in `parent`, swap a row's options for the others.

        The planes of the block are [begin, end).
        """
        n = types.int64
        sig = types.void(masks, n, n, n, n, n)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            masks, row, parent, begin, end, block = args
            vector = _vector(sig.args[0])
            own = _pointer(context, builder, sig.args[0], masks, row, vector)
            other = _pointer(context, builder, sig.args[0], masks, parent, vector)
            lanes = ir.VectorType(ir.IntType(1), vector.count)
            opens = builder.bitcast(other, ir.IntType(vector.count).as_pointer())
            opens = builder.load(builder.gep(opens, [block]))
            opens.align = 1
            opens = builder.bitcast(opens, lanes)
            with cgutils.for_range(builder, end, start=begin) as loop:
                mine = _load(builder, own, loop.index)
                rest = builder.and_(_load(builder, other, loop.index), builder.not_(mine))
                _store(builder, builder.select(opens, rest, mine), own, loop.index)
            return context.get_dummy_value()

        return sig, generate

    @intrinsic
    def _width(_: Any, masks: Any) -> Any:
        """The bits of a lane, as a constant: `itemsize` is a field, read at run time."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _INT(masks.dtype.bitwidth)

        return types.int64(masks), generate

    @intrinsic
    def _lowest(_: Any, word: Any) -> Any:
        """The number of the lowest bit of a word that is not 0."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            number = builder.cttz(args[0], ir.IntType(1)(1))
            return number if number.type.width == 64 else builder.zext(number, _INT)

        return types.int64(word), generate


@njit(cache=True, nogil=True)
def advance(state, budget, room, out):  # type: ignore[no-untyped-def]
    """Go on until `room` covers were found, about `budget` updates made, or all is searched.

    state : State, changed in place
    budget : int, in vectors met: the cost of one option chosen is the vectors of a row
    room : int, at least 1; at most the rows of `out` if it has rows
    out : int32[rows, max_depth], row k gets the k-th cover's options ascending, padded with -1;
        without rows covers are only counted

    Returns the number of covers found by this call. Nodes are options tried: forced ones are not
    among them.
    """
    (keep, option_of, first, masks, branch, left, share, witness, lowest, besides, counts, single,
     pending, stamp, bag, counters) = state  # fmt: skip
    bits = _width(masks)
    lanes = 8 * VECTOR // bits
    every_lane = ~U(0) >> U(64 - lanes)
    blocks = len(first) - 1
    size = first[blocks] * lanes
    listing = len(out) > 0
    plain = counters[PLAIN] != 0
    span = witness[0, 0] if len(witness) else 0
    level = counters[LEVEL]
    nodes = counters[NODES]
    tick = counters[TICK]
    found = 0
    updates = 0

    while level >= 0 and found < room and updates < budget:
        # Invariant: the row of each level has no forced option and no empty lane; the options of
        # the branched lane that were tried are gone from that lane.
        rest = left[U(level)]
        row = level * size
        goal = row
        target = level
        solved = rest == ROOT_IS_COVER
        twin = rest == TWIN_IS_COVER
        twins = rest == TWINS
        if not solved:
            nodes += 1
        if not solved and not twin:
            # Take the lowest option of the branched lane.
            at = branch[U(level)]
            while not masks[U(row + at)]:
                at += lanes
            word = masks[U(row + at)]
            pending[0] = option_of[U(at * bits + _lowest(word))]
            rest = 1 if twins else rest - 1
            left[U(level)] = rest
            if rest:
                branch[U(level)] = at
                target += 1
            goal = target * size

            # Choose it and all that is forced by it.
            tried = row + at
            count = 1
            dead = False
            while count:
                updates += count * first[U(blocks)]
                solved = plain
                _intersect(masks, goal, row, keep, pending, count, size, 0, first[0])
                for b in range(blocks):
                    begin, end = first[U(b)], first[U(b + 1)]
                    empty, single[U(b)] = _narrow(
                        masks, goal, row, keep, pending, count, size, begin, end, counts, b
                    )
                    if empty:
                        dead = True
                        break
                    solved &= single[U(b)] == every_lane
                if dead or solved:
                    break
                row = goal
                tick += 1
                count = 0
                for b in range(blocks):
                    unread = single[U(b)] & _open(masks, goal, b)
                    while unread:
                        at = first[U(b)] * lanes + _lowest(unread)
                        unread &= unread - ONE
                        while not masks[U(goal + at)]:
                            at += lanes
                        forced = masks[U(goal + at)]
                        option = np.int64(option_of[U(at * bits + _lowest(forced))])
                        # Lanes of one option are often single together; without a jump, it is
                        # written again and counted once.
                        pending[U(count)] = option
                        count += int(stamp[U(option)] != tick)
                        stamp[U(option)] = tick
            if target > level:
                masks[U(tried)] = word & (word - masks.dtype.type(1))
            if dead:
                level = target - 2 if twins else target - 1
                continue

            if not solved:
                # Branch on the item with the fewest options.
                where = np.int64(-1)
                fewest = U(2)
                more = U(0)
                for b in range(blocks):
                    two, above = _sizes(counts, b)
                    more |= above
                    if two and where < 0:
                        where = first[U(b)] * lanes + _lowest(two)
                if where < 0 and more:
                    fewest = ~U(0)
                    for b in range(blocks):
                        least, ties = _least(counts, b)
                        if least < fewest:
                            fewest = least
                            where = first[U(b)] * lanes + _lowest(ties)
                if where >= 0:
                    branch[U(target)] = where
                    left[U(target)] = np.int64(fewest) if more or not plain else TWINS
                    share[U(target)] = share[U(level)] / np.float64(fewest)
                    level = target
                    continue

        if listing:
            if twin:
                goal += size
                for b in range(blocks):
                    _swap(masks, goal, row, first[U(b)], first[U(b + 1)], b)
            length = len(lowest)
            for k in range(length):  # LLVM makes vectors of this
                mask = masks[U(goal + span + k)]
                out[U(found), U(k)] = lowest[k] + np.int32(_lowest(mask))
            if not length:
                for k in range(len(witness)):
                    at = where = witness[U(k), U(0)]
                    for _ in range(1, witness[U(k), U(1)]):
                        at += lanes
                        where = at if masks[U(goal + at)] else where  # without a jump
                    bit = where * bits + _lowest(masks[U(goal + where)])
                    option = np.int64(option_of[U(bit)])
                    bag[U(option >> 6)] |= ONE << U(option & 63)
                for option in besides:
                    bag[U(option >> 6)] |= ONE << U(option & 63)
                for k in range(len(bag)):
                    mask = bag[k]
                    bag[k] = 0
                    while mask:
                        out[U(found), U(length)] = 64 * k + _lowest(mask)
                        length += 1
                        mask &= mask - ONE
            for k in range(length, out.shape[1]):
                out[U(found), U(k)] = -1
        found += 1
        level = target - 1
        if twins:
            left[U(level)] = TWIN_IS_COVER

    counters[LEVEL] = level
    counters[NODES] = nodes
    counters[UPDATES] += updates
    counters[SOLUTIONS] += found
    counters[EXHAUSTED] = level < 0
    counters[TICK] = tick
    return found
