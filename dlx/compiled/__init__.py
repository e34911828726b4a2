"""Decorators of kernels: how numba compiles them.

All run without the lock of the interpreter. The caller keeps the arrays of a call until it returns,
so references to them need not be counted. By default numba counts them, by an atomic operation
wherever an array is taken from a tuple, passed on or sliced: that took up to half of the time of a
kernel. Functions compiled without counting cannot make arrays.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from numba import njit
from numba.core.cpu import CPUTargetOptions
from numba.core.event import Event, Listener, register

from dlx.compiled.elsewhere import present_compiler
from dlx.compiled.interrupts import interrupts_later

UNCOUNTED: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
if hasattr(CPUTargetOptions, "_nrt"):  # as in numba 0.60 to 0.68; without it kernels are slower
    UNCOUNTED["_nrt"] = False

NOT_STORED = (
    "no folder for compiled code can be written, so each process compiles anew, which takes"
    " seconds: set NUMBA_CACHE_DIR to a folder that can"
)

COMPILES = "numba compiles, which takes seconds; if it can, it keeps the code for later runs"


_PLAIN = {"int64": int, "uint8": int, "uint32": int, "uint64": int, "bool_": bool}
"""What stands for the types of numpy's numbers in interpreted kernels."""


class _First(Listener):  # type: ignore[misc]
    """Logs the first compilation of a process, which may take seconds."""

    def __init__(self) -> None:
        self.is_logged = False

    def log(self) -> None:
        if not self.is_logged:
            self.is_logged = True
            logging.getLogger(__name__).info(COMPILES)

    def on_start(self, event: Event) -> None:
        self.log()

    def on_end(self, event: Event) -> None:
        pass


_first = _First()
register("numba:compile", _first)


def _stored(**options: Any) -> Callable[[Any], Any]:
    """Return a decorator that keeps compiled code in numba's cache, if a folder can be written."""

    def decorate(function: Any) -> Any:
        try:
            stored = njit(cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            _warn()
            return njit(**options)(function)
        if stored is not function:  # there is a compiler
            _guard(function, stored)
        return stored

    return decorate


def _guard(function: Any, stored: Any) -> None:
    """Have a kernel loaded without interruption, and compiled elsewhere where that is to be done.

    While numba itself compiles, for seconds, Ctrl-C is answered.
    """
    load, load_or_compile = stored._cache.load_overload, stored.compile
    allow: Callable[[], object] = bool  # that of the last call in the main thread

    def load_compiled(signature: Any, context: Any) -> Any:
        code = load(signature, context)
        if code is None:
            allow()
            if (compiler := present_compiler()) is not None:
                _first.log()
                compiler.compile(function, signature)
                code = load(signature, context)
        return code

    def compile_kernel(signature: Any) -> Any:
        nonlocal allow
        with interrupts_later() as end:
            allow = end or allow
            return load_or_compile(signature)

    stored._cache.load_overload, stored.compile = load_compiled, compile_kernel


@cache
def _warn() -> None:
    """Warn once in a process; Python's own filter would repeat it after any change of filters."""
    warnings.warn(NOT_STORED, stacklevel=2)


kernel = _stored(**UNCOUNTED)
"""Called from Python. It is kept in numba's cache."""

helper = njit(no_cpython_wrapper=True, **UNCOUNTED)
"""Called by kernels only: without wrappers for Python it compiles in half the time."""

inlined = njit(no_cpython_wrapper=True, forceinline=True, **UNCOUNTED)
"""Likewise, for small functions with many calls: LLVM copies the compiled code to each of them."""

copied = njit(no_cpython_wrapper=True, inline="always", **UNCOUNTED)
"""Likewise, for functions with one call: numba makes them a part of the caller before it compiles
it. Each further call would take as long to compile again."""

allocating = _stored(nogil=True)
"""Called from Python, and makes arrays: references are counted."""


def is_stored(function: Any) -> bool:
    """Whether numba's cache has code of a kernel, which loads in milliseconds: if it fits.

    It does not fit another processor or an edited file.
    """
    stats = getattr(function, "stats", None)
    if stats is None:  # there is no compiler
        return True
    code = function.py_func.__code__
    name = f"{function.py_func.__module__.rpartition('.')[2]}.{code.co_name}-{code.co_firstlineno}."
    try:
        return any(file.startswith(name) for file in os.listdir(stats.cache_path or ""))
    except OSError:
        return False


def _plain(value: Any, kinds: dict[Any, type]) -> Any:
    """What stands for a global name of a kernel: numbers and types of Python for those of numpy."""
    if isinstance(value, type):
        return kinds.get(value, value)
    return value.item() if isinstance(value, np.number) else value


def interpreted(function: Any) -> Callable[..., Any]:
    """Return a kernel as a function of plain Python, with the helpers of its module that it calls.

    It takes memoryviews in place of arrays, and calculates with integers of Python, several times
    as fast as with those of numpy: so it is for kernels whose numbers do not overflow.
    """
    original = getattr(function, "py_func", function)
    plain = {getattr(np, name): kind for name, kind in _PLAIN.items()}
    names = {name: _plain(value, plain) for name, value in original.__globals__.items()}
    names["np"] = SimpleNamespace(**_PLAIN, empty=np.empty, zeros=np.zeros, int32=np.int32)
    for name, value in original.__globals__.items():
        code = getattr(value, "py_func", value)
        if isinstance(code, FunctionType) and code.__globals__ is original.__globals__:
            names[name] = FunctionType(code.__code__, names)
    return FunctionType(original.__code__, names)
