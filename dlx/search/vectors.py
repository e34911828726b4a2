"""Operations on rows of bit masks, made of vectors of 64 bytes, for the kernel "bits".

A vector has 64 lanes of 8 bits or 16 lanes of 32 bits, as the type of the array says. What a row
is, its blocks and planes, `bits_kernel` describes. Parameters of all operations:

rows : uint8[] or uint32[]
    Rows of the levels of the search, one after the other. `to`, `source`, `row` and `parent` are
    the places of a row's first lane.
compatible : like rows
    One row of `size` lanes for each option.
options, count : int64[], int
    The options to be chosen are `options[:count]`; at least one.
begin, end : int
    A range of vectors of a row: the planes of a block.
block : int
    Number of the block.
counts : like rows
    A vector for each block: the number of bits of each lane.

Sets of lanes are uint64, bit k for lane k of the block. Each operation is written in LLVM's
portable form, so that every processor runs the same search, and once more with numpy for runs
without the JIT. Lanes are numbered by little-endian bytes, as on all processors numba supports.

numba's cache does not notice a change of this file: delete `__pycache__` after one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic

from dlx.search.row_sizes import VECTOR as VECTOR

if config.DISABLE_JIT:

    def _lanes_where(condition: Any) -> np.uint64:
        return np.uint64(sum(1 << k for k in np.flatnonzero(condition).tolist()))

    def lane_bits(rows: Any) -> int:
        """Return the bits of a lane."""
        return 8 * int(rows.itemsize)

    def open_lanes(rows: Any, row: int, block: int) -> np.uint64:
        """Return the open lanes of a block."""
        size = VECTOR // rows.itemsize // 8
        packed = rows.view(np.uint8)[row * rows.itemsize + block * size :][:size]
        return np.uint64(int.from_bytes(packed.tobytes(), "little"))

    def intersect(
        rows: Any, to: int, source: int, compatible: Any, options: Any, count: int, size: int,
        begin: int, end: int,
    ) -> None:  # fmt: skip
        """Do as the compiled operation below."""
        lanes = VECTOR // rows.itemsize
        part = slice(begin * lanes, end * lanes)
        row = rows[source : source + size][part]
        for option in options[:count].tolist():
            row = row & compatible[option * size : (option + 1) * size][part]
        rows[to : to + size][part] = row

    def intersect_and_count(
        rows: Any, to: int, source: int, compatible: Any, options: Any, count: int, size: int,
        begin: int, end: int, counts: Any, block: int,
    ) -> tuple[np.uint64, np.uint64]:  # fmt: skip
        """Do as the compiled operation below."""
        intersect(rows, to, source, compatible, options, count, size, begin, end)
        lanes = VECTOR // rows.itemsize
        planes = rows[to + begin * lanes : to + end * lanes]
        ones = np.unpackbits(planes.view(np.uint8).reshape(len(planes), -1), axis=1).sum(axis=1)
        totals = counts[block * lanes : (block + 1) * lanes]
        totals[:] = ones.reshape(-1, lanes).sum(axis=0)
        return _lanes_where(totals == 0), _lanes_where(totals == 1)

    def two_or_more(counts: Any, block: int) -> tuple[np.uint64, np.uint64]:
        """Return the lanes of a block with two bits, and those with more."""
        lanes = VECTOR // counts.itemsize
        totals = counts[block * lanes : (block + 1) * lanes]
        return _lanes_where(totals == 2), _lanes_where(totals > 2)

    def fewest_above_one(counts: Any, block: int) -> tuple[np.uint64, np.uint64]:
        """Return the least count above one in a block, or a huge number; and its lanes."""
        lanes = VECTOR // counts.itemsize
        totals = counts[block * lanes : (block + 1) * lanes].astype(np.int64)
        totals[totals < 2] = 2**32
        return np.uint64(totals.min()), _lanes_where(totals == totals.min())

    def complement(rows: Any, row: int, parent: int, begin: int, end: int, block: int) -> None:
        """Do as the compiled operation below."""
        lanes = VECTOR // rows.itemsize
        is_open = [bool(int(open_lanes(rows, parent, block)) >> k & 1) for k in range(lanes)]
        for at in range(begin * lanes, end * lanes, lanes):
            bits = rows[row + at : row + at + lanes]
            other = rows[parent + at : parent + at + lanes]
            bits[:] = np.where(is_open, other & ~bits, bits)

else:
    from llvmlite import ir
    from numba.core import cgutils

    _INT = ir.IntType(64)

    def _vector(rows: Any) -> Any:
        width = rows.dtype.bitwidth
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
        """A vector of booleans as a set of lanes."""
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

    def _intersection(context: Any, builder: Any, sig: Any, args: Any) -> Callable[[Any], Any]:
        """Code for vector i: rows[to] = rows[source] & the `compatible` rows of the options."""
        rows, to, source, compatible, options, count, size = args[:7]
        vector = _vector(sig.args[0])
        target = _pointer(context, builder, sig.args[0], rows, to, vector)
        origin = _pointer(context, builder, sig.args[0], rows, source, vector)
        numbers = _pointer(context, builder, sig.args[4], options, _INT(0), _INT)

        def row(k: Any) -> Any:
            at = builder.mul(builder.load(builder.gep(numbers, [k])), size)
            return _pointer(context, builder, sig.args[3], compatible, at, vector)

        first = row(_INT(0))

        def intersect(i: Any) -> Any:
            def also(k: Any, value: Any) -> Any:
                return builder.and_(value, _load(builder, row(k), i))

            value = builder.and_(_load(builder, origin, i), _load(builder, first, i))
            value = _fold(builder, _INT(1), count, value, also)
            _store(builder, value, target, i)
            return value

        return intersect

    @intrinsic
    def lane_bits(_: Any, rows: Any) -> Any:
        """Return the bits of a lane, as a constant (`itemsize` is a field, read at run time)."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _INT(rows.dtype.bitwidth)

        return types.int64(rows), generate

    @intrinsic
    def open_lanes(_: Any, rows: Any, row: Any, block: Any) -> Any:
        """Return the open lanes of a block."""
        sig = types.uint64(rows, types.int64, types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            lanes = ir.IntType(_vector(sig.args[0]).count)
            pointer = _pointer(context, builder, sig.args[0], args[0], args[1], lanes)
            word = builder.load(builder.gep(pointer, [args[2]]))
            word.align = 1
            return word if lanes.width == 64 else builder.zext(word, _INT)

        return sig, generate

    @intrinsic
    def intersect(_: Any, rows: Any, to: Any, source: Any, compatible: Any, options: Any,
                  count: Any, size: Any, begin: Any, end: Any) -> Any:  # fmt: skip
        """Write the vectors [begin, end) of row `source`, cut to what the options allow."""
        n = types.int64
        sig = types.void(rows, n, n, compatible, options, n, n, n, n)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            code = _intersection(context, builder, sig, args)
            with cgutils.for_range(builder, args[8], start=args[7]) as loop:
                code(loop.index)
            return context.get_dummy_value()

        return sig, generate

    @intrinsic
    def intersect_and_count(_: Any, rows: Any, to: Any, source: Any, compatible: Any, options: Any,
                            count: Any, size: Any, begin: Any, end: Any, counts: Any,
                            block: Any) -> Any:  # fmt: skip
        """As `intersect`, for the planes of a block; write the number of bits of each lane.

        Returns
        -------
        empty, single : sets of lanes
            The lanes without a bit, and those with one.
        """
        n = types.int64
        pair = types.UniTuple(types.uint64, 2)
        sig = pair(rows, n, n, compatible, options, n, n, n, n, counts, n)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            begin, end, counts, block = args[7:]
            code = _intersection(context, builder, sig, args)
            vector = _vector(sig.args[0])

            def add(i: Any, total: Any) -> Any:
                return builder.add(total, _call(builder, "ctpop", vector, code(i)))

            total = _call(builder, "ctpop", vector, code(begin))
            total = _fold(builder, builder.add(begin, _INT(1)), end, total, add)
            to = _pointer(context, builder, sig.args[9], counts, _INT(0), vector)
            _store(builder, total, to, block)
            lanes = [_word(builder, builder.icmp_unsigned("==", total, _all(vector, k)))
                     for k in (0, 1)]  # fmt: skip
            return context.make_tuple(builder, sig.return_type, lanes)

        return sig, generate

    @intrinsic
    def two_or_more(_: Any, counts: Any, block: Any) -> Any:
        """Return the lanes of a block with two bits, and those with more."""
        sig = types.UniTuple(types.uint64, 2)(counts, types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _vector(sig.args[0])
            pointer = _pointer(context, builder, sig.args[0], args[0], _INT(0), vector)
            total = _load(builder, pointer, args[1])
            lanes = [_word(builder, builder.icmp_unsigned(relation, total, _all(vector, 2)))
                     for relation in ("==", ">")]  # fmt: skip
            return context.make_tuple(builder, sig.return_type, lanes)

        return sig, generate

    @intrinsic
    def fewest_above_one(_: Any, counts: Any, block: Any) -> Any:
        """Return the least count above one in a block, or a huge number; and its lanes."""
        sig = types.UniTuple(types.uint64, 2)(counts, types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _vector(sig.args[0])
            pointer = _pointer(context, builder, sig.args[0], args[0], _INT(0), vector)
            # with 2 subtracted, the unsigned counts 0 and 1 become the greatest
            total = builder.sub(_load(builder, pointer, args[1]), _all(vector, 2))
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
    def complement(_: Any, rows: Any, row: Any, parent: Any, begin: Any, end: Any,
                   block: Any) -> Any:  # fmt: skip
        """Replace the bits of a row by the other bits that row `parent` has.

        Only the lanes of the block that are open in `parent` change.
        """
        n = types.int64
        sig = types.void(rows, n, n, n, n, n)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            rows, row, parent, begin, end, block = args
            vector = _vector(sig.args[0])
            target = _pointer(context, builder, sig.args[0], rows, row, vector)
            other = _pointer(context, builder, sig.args[0], rows, parent, vector)
            lanes = ir.VectorType(ir.IntType(1), vector.count)
            opens = builder.bitcast(other, ir.IntType(vector.count).as_pointer())
            opens = builder.load(builder.gep(opens, [block]))
            opens.align = 1
            opens = builder.bitcast(opens, lanes)
            with cgutils.for_range(builder, end, start=begin) as loop:
                bits = _load(builder, target, loop.index)
                result = builder.and_(_load(builder, other, loop.index), builder.not_(bits))
                _store(builder, builder.select(opens, result, bits), target, loop.index)
            return context.get_dummy_value()

        return sig, generate
