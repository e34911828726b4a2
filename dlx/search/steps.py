"""The account of the steps that the interpreter takes instead of a kernel, one for the process."""

from __future__ import annotations


class Steps:
    """The steps that the interpreter may still take."""

    left = 0


first_steps = Steps()
