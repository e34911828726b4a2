"""Old spellings of public names: each works for one more version and emits a DeprecationWarning.

The table `RENAMED` and the helpers below are the only place that knows old spellings.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

RENAMED = {"CoverSet": "SolutionSet", "covers": "solution_set"}
"""Old and new names of what the package `dlx` exports."""


def warn(old: str, new: str, stacklevel: int = 3) -> None:
    """Emit the warning that an old spelling was used.

    Parameters
    ----------
    old, new : str
        Both spellings, as a user writes them.
    stacklevel : int
        Number of frames from here to the code of the user; 3 if the caller of this function is
        itself called by that code.
    """
    message = f"{old} is deprecated and goes with the next version; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel)


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
    Point.abscissa is deprecated and goes with the next version; use Point.x
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
    count(limit) by position is deprecated and goes with the next version; use limit=
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        positional = function.__code__.co_argcount

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            late = args[positional:]
            # with too many arguments, or one given twice, the function raises its own TypeError
            if late and len(late) <= len(names) and not kwargs.keys() & names[: len(late)]:
                used = names[: len(late)]
                title = f"{function.__name__}({', '.join(used)}) by position"
                warn(title, ", ".join(f"{name}=" for name in used))
                given = dict(zip(used, late, strict=True))
                return function(*args[:positional], **given, **kwargs)  # type: ignore[arg-type]
            return function(*args, **kwargs)

        return call

    return decorate
