"""Checks of arguments, and texts of numbers: the same error for the same fault, everywhere."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, TypeVar

from dlx.errors import ProblemError

N = TypeVar("N", int, float)

MOST_VALUES = sys.maxsize // 8  # bytes of an array are counted in a signed word
MANY_YEARS = 1e11  # seconds
AT_ONCE = 600  # digits: below the least limit of conversions that Python can be set to (640)


def brief(value: object) -> str:
    """Return the `repr` of a value for an error message, on one line, cut at 100 characters."""
    try:
        text = " ".join(repr(value).splitlines())
    except ValueError:  # an integer with more digits than Python converts, or what has one
        if isinstance(value, int):
            text = ("-" if value < 0 else "") + digits(abs(value))
        else:
            text = object.__repr__(value)
    return text if len(text) <= 100 else text[:97] + "..."


def digits(number: int) -> str:
    """Return the decimal digits of a number from 0 on, of any length; `str` takes up to 4300."""
    pieces = []
    while number >= 10**AT_ONCE:
        number, piece = divmod(number, 10**AT_ONCE)
        pieces.append(f"{piece:0{AT_ONCE}d}")
    return str(number) + "".join(reversed(pieces))


def solutions_text(number: int, separator: str = "") -> str:
    """Return a number of solutions for a message.

    >>> solutions_text(1), solutions_text(12345), solutions_text(12345, ",")
    ('1 solution', '12345 solutions', '12,345 solutions')
    """
    text = f"{number:{separator}}" if number < 10**AT_ONCE else digits(number)
    return f"{text} solution{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in the unit that suits.

    >>> duration(3.21), duration(200), duration(9000), duration(10**6), duration(float("inf"))
    ('3.2 s', '3.3 min', '2.5 h', '11.6 days', '3,000 years or more')
    """
    if seconds > MANY_YEARS:
        return "3,000 years or more"
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s"


def timeout_error(time_limit: float | None, found: int) -> TimeoutError:
    """Return the error for a time limit that ended a run, with the number of solutions found."""
    return TimeoutError(f"not done within {time_limit:g} s; {solutions_text(found)} found so far")


def as_index(value: object) -> int:
    """Return an integer of any type but bool as `int`; TypeError for any other value."""
    if isinstance(value, bool):
        raise TypeError("a bool is no number")
    return operator.index(value)  # type: ignore[arg-type]


def whole(value: object, name: str) -> int:
    """Return an integer of any type but bool as `int`.

    Parameters
    ----------
    value : object
        The argument.
    name : str
        What the message calls it.

    Raises
    ------
    ProblemError
        The value is not a whole number.
    """
    try:
        return as_index(value)
    except TypeError:
        raise ProblemError(f"{name} is {brief(value)}; it must be a whole number") from None


def number_of_values(value: object, least: int, name: str) -> int:
    """Return an integer as `at_least` does, if an array may have that many numbers of 8 bytes."""
    number = at_least(value, least, name)
    if number > MOST_VALUES:
        raise ProblemError(f"{name} is {brief(value)}; it must be at most {MOST_VALUES}")
    return number


def at_least(value: object, least: int, name: str) -> int:
    """Return an integer of at least `least` as `int`; raise ProblemError for any other value."""
    try:
        number = as_index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ProblemError(f"{name} is {brief(value)}; it must be a whole number from {least} on")
    return number


def is_bool(value: object) -> bool:
    """Return whether this is a bool of Python or numpy, which is not imported for this."""
    return type(value).__name__ in ("bool", "bool_")  # the second in numpy 1


def as_flag(value: object, name: str) -> bool:
    """Return True, False, 1, 0 or None as a bool; raise ProblemError for any other value."""
    is_number = type(value) is int and value in (0, 1)
    if value is not None and not is_number and not is_bool(value):
        raise ProblemError(f"{name} is {brief(value)}; True or False is needed")
    return bool(value)


def as_path(path: Any, name: str) -> str:
    """Return the name of a file or a folder; raise ProblemError for anything else.

    A number is refused: `open` would take it for a file descriptor, and close it.
    """
    try:
        decoded = os.fsdecode(path)
        if b"\0" not in os.fsencode(decoded):
            return decoded
    except (TypeError, UnicodeError):
        pass
    raise ProblemError(f"{name} is {brief(path)}; it must be the path of a file or a folder")


def as_text(text: object, name: str) -> str:
    """Return a text; raise ProblemError for anything else."""
    if not isinstance(text, str):
        raise ProblemError(f"{name} is {brief(text)}; it must be a text")
    return text


def as_list(values: Any, name: str, expected: str) -> list[Any]:
    """Return a list of values, which are `expected`; ProblemError unless they are an iterable.

    A dict is refused: only its keys would be read.
    """
    try:
        if not isinstance(values, Mapping):
            return list(values)
    except TypeError:
        pass
    raise ProblemError(f"{name} is {brief(values)}; it must be {expected}")


def as_sequence(values: Any, name: str, expected: str) -> list[Any]:
    """As `as_list`, for values whose order matters: a set is refused."""
    if isinstance(values, Set):
        raise ProblemError(f"{name} is {brief(values)}, without an order; it must be {expected}")
    return as_list(values, name, expected)


def refuse_unknown(given: Iterable[str], known: Iterable[str], function: str) -> None:
    """Raise the TypeError of a public function for a keyword argument that it does not have."""
    for name in given:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def is_one_of(value: object, names: Iterable[str]) -> bool:
    """Return whether a value is one of these names; arrays and lists are not."""
    return isinstance(value, str) and value in names


def one_of(value: object, names: Iterable[str], kind: str) -> str:
    """Return one of these names.

    Raises
    ------
    ProblemError
        The value is not one of them; the message calls it a `kind`.
    """
    if is_one_of(value, names):
        return str(value)
    raise ProblemError(f"there is no {kind} {brief(value)}; there are {', '.join(names)}")


def _measured(value: Any, kind: Callable[[Any], N]) -> N:
    """Return a number as `int` or `float`; -1 for what is none, such as a text or a bool."""
    if is_bool(value) or isinstance(value, (str, bytes, bytearray)):
        return kind(-1)
    try:
        return kind(value)
    except (TypeError, ValueError, OverflowError):
        return kind(-1)


def as_limit(limit: int | None) -> int | None:
    """Return a number of solutions; raise ProblemError if it is negative or not whole."""
    return None if limit is None else at_least(limit, 0, "limit")


def as_memory_limit(memory_limit: float | None) -> int | None:
    """Return a number of bytes as `int`; raise ProblemError if it is below 1 or not a number."""
    if memory_limit is None:
        return None
    size = _measured(memory_limit, int)
    if size < 1:
        raise ProblemError(f"memory_limit is {brief(memory_limit)}; it must be bytes from 1 on")
    return size


def as_time_limit(time_limit: float | None) -> float | None:
    """Return a number of seconds; raise ProblemError if it is negative or not a number."""
    if time_limit is None:
        return None
    seconds = _measured(time_limit, float)
    if not seconds >= 0:
        raise ProblemError(f"time_limit is {brief(time_limit)}; it must be seconds from 0 on")
    return seconds


def as_progress(progress: Any) -> Any:
    """Return a function that a run reports to, or None; raise ProblemError for anything else."""
    if progress is None:
        return None
    return as_function(progress, "progress", "a function of the stats")


def as_function(function: Any, name: str, expected: str) -> Any:
    """Return a function, which is `expected`; raise ProblemError for anything else."""
    if callable(function):
        return function
    raise ProblemError(f"{name} is {brief(function)}; it must be {expected}")


def checked(name: str, check: Callable[[Any], Any], doc: str) -> Any:
    """Return a property whose values pass through a function of this module.

    Parameters
    ----------
    name : str
        Of the attribute that has the value.
    check : callable
    doc : str
        Docstring of the property.
    """

    def assign(one: object, value: object) -> None:
        setattr(one, name, check(value))

    return property(operator.attrgetter(name), assign, doc=doc)


def time_limit_property() -> Any:
    """Return the property `time_limit` of a search or a count."""
    doc = "The seconds after which a run ends; None for no limit."
    return checked("_time_limit", as_time_limit, doc)


def progress_property() -> Any:
    """Return the property `progress` of a search or a count."""
    doc = "What a run calls with its `Stats`, some ten times a second; or None."
    return checked("_progress", as_progress, doc)


def as_executor(executor: Any) -> Any:
    """Return an executor or what makes one; raise ProblemError for what is neither."""
    if executor is None or callable(executor) or hasattr(executor, "submit"):
        return executor
    raise ProblemError(
        f"executor is {brief(executor)}; it must be an Executor of concurrent.futures, or a"
        " function that returns one"
    )


def as_options(options: Iterable[int], num_options: int, name: str) -> tuple[int, ...]:
    """Return option numbers ascending, each once; see `option_numbers`."""
    if isinstance(options, tuple) and not options:
        return options
    return tuple(sorted(set(option_numbers(options, num_options, name))))


def option_numbers(options: Iterable[int], num_options: int, name: str) -> list[int]:
    """Return option numbers in their order.

    Parameters
    ----------
    options : iterable of int
        The argument.
    num_options : int
        Number of options of the problem.
    name : str
        What the message calls the argument.

    Raises
    ------
    ProblemError
        A value is not the number of an option.
    """
    values = as_list(options, name, "option numbers")
    try:
        if isinstance(options, (bytes, bytearray)):
            raise TypeError("bytes are a text")
        numbers = list(map(as_index, values))
    except TypeError:
        raise ProblemError(f"{name} is {brief(options)}; it must be option numbers") from None
    if numbers:
        for option in (min(numbers), max(numbers)):
            if not 0 <= option < num_options:
                raise no_option(option, num_options, name)
    return numbers


def no_option(option: int, num_options: int, name: str = "") -> ProblemError:
    """Return the error for a number that is not one of an option."""
    options = f"one of 0 to {num_options - 1}" if num_options else "there: the problem has none"
    text = f"{name} option {brief(option)} is not {options}"
    return ProblemError(text.lstrip(), option=option)


def num_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def as_jobs(jobs: int | str | None) -> int | None:
    """Return a number of workers; raise ProblemError for what is not one."""
    if jobs is None:
        return None
    if isinstance(jobs, str) and jobs == "all":
        return num_cores()
    try:
        number = as_index(jobs)
    except TypeError:
        number = 0
    if number < 1:
        raise ProblemError(f'jobs is {brief(jobs)}; it must be a whole number from 1 on, or "all"')
    return number
