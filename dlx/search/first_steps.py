"""How many steps the interpreter may still take instead of a kernel, one number for the process."""

from __future__ import annotations


class StepsLeft:
    """The steps that the interpreter may still take."""

    left = 0


process_steps = StepsLeft()
