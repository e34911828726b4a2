"""A line of progress on the terminal."""

from __future__ import annotations

import sys
import time

__all__ = ["Progress"]


class Progress:
    """One line on standard error, if that is a terminal; it is first shown after a second.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    unit : str
        What is counted.
    """

    WIDTH = 30
    """Characters of the bar."""

    def __init__(self, quiet: bool = False, unit: str = "puzzles") -> None:
        self.unit = unit
        self._began = time.monotonic()
        self._next = self._began + 1.0
        self._shown = 0
        self._on = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def update(self, count: int, fraction: float = 0.0, unit: str = "") -> None:
        """Show the line again if the last time is a tenth of a second ago.

        Parameters
        ----------
        count : int
            Units done so far.
        fraction : float
            The part of all work that is done, from 0 to 1; 0 if it is unknown.
        unit : str
            What `count` counts, if not `self.unit`.
        """
        if not self._on:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.1
        spent = now - self._began
        text = f"{count:,} {unit or self.unit}, {_clock(spent)}"
        if fraction > 0:
            full = int(self.WIDTH * min(fraction, 1.0))
            left = spent * (1 - fraction) / fraction
            bar = "#" * full + "." * (self.WIDTH - full)
            text = f"[{bar}] {fraction:4.0%} {text}, {_clock(max(left, 0.0))} left"
        self._write("\r" + text.ljust(self._shown))
        self._shown = len(text)

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _clock(seconds: float) -> str:
    """Return seconds as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
