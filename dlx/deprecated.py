"""Old spellings of public names: each works for one more version and emits a DeprecationWarning.

The tables hold old names of the package and old values of arguments. Old attributes are methods
decorated with `alias`; functions with arguments that were positional are decorated with
`by_keyword`. To remove all of them, remove this module and follow the errors.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from dlx.checks import is_one_of

P = ParamSpec("P")
R = TypeVar("R")

PACKAGES = ("dlx", "sudoku")  # a warning is about the first caller outside of them

RENAMED = {"CoverSet": "SolutionSet", "covers": "solution_set"}
"""Old and new names of what the package `dlx` exports."""

METHODS = {"memo": "sweep"}
"""Old and new values of the argument `method` of a count."""


def warn(old: str, new: str) -> None:
    """Emit the warning that an old spelling was used, with the line of the user's code.

    Parameters
    ----------
    old, new : str
        Both spellings, as a user writes them.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in PACKAGES:
        level, frame = level + 1, frame.f_back
    message = f"{old} is deprecated and will be removed in the next version; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=level)


def current_method(method: str, written: str) -> str:
    """Return the present name of a method of counting; warn of an old one.

    Parameters
    ----------
    method : str
    written : str
        How the user writes a method, such as `--method {}`.
    """
    if not is_one_of(method, METHODS):
        return method
    new = METHODS[method]
    warn(written.format(method), written.format(new))
    return new


def alias(new: str) -> Callable[[Callable[[Any], object]], property]:
    """Decorate a method without a body: make it a deprecated property that reads `new`.

    >>> class Point:
    ...     x = 1
    ...
    ...     @alias("x")
    ...     def abscissa(self):
    ...         "Deprecated spelling of x."
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     Point().abscissa
    1
    >>> print(caught[0].message)
    Point.abscissa is deprecated and will be removed in the next version; use Point.x
    """

    def decorate(method: Callable[[Any], object]) -> property:
        def read(instance: Any) -> Any:
            name = type(instance).__name__
            warn(f"{name}.{method.__name__}", f"{name}.{new}")
            return getattr(instance, new)

        return property(read, doc=method.__doc__)

    return decorate


def by_keyword(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function whose keyword-only parameters `names` were positional before.

    Parameters
    ----------
    *names : str
        The parameters in their old order. They followed the parameters that are still
        positional.

    Returns
    -------
    decorator
        The decorated function accepts these arguments by position, too, and then warns.

    Examples
    --------
    >>> @by_keyword("limit")
    ... def count(text, *, limit=None):
    ...     return text.count("a", 0, limit)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     count("banana", 3)
    1
    >>> print(caught[0].message)
    count(limit) by position is deprecated and will be removed in the next version; use limit=
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        positional = function.__code__.co_argcount

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            extra = args[positional:]
            # with too many arguments, or one given twice, the function raises its own TypeError
            if extra and len(extra) <= len(names) and not kwargs.keys() & names[: len(extra)]:
                used = names[: len(extra)]
                title = f"{function.__name__}({', '.join(used)}) by position"
                warn(title, ", ".join(f"{name}=" for name in used))
                named = dict(zip(used, extra, strict=True))
                return function(*args[:positional], **named, **kwargs)  # type: ignore[arg-type]
            return function(*args, **kwargs)

        return call

    return decorate
