"""Efficiency of many workers, simulated: ``python -m benchmarks.workers``.

A discrete-event simulation. The tasks of `macmahon4x6` are measured on this machine, each in CPU
seconds with the tasks it leaves; those of a search of 10^12 nodes are drawn at random, split as
unevenly as the measured ones. A scheduler distributes the tasks one after the other, in order; a
result arrives after a delay. When a worker dies, another one begins its task again.

The picture and the numbers are written to benchmarks/results.
"""

import argparse
import heapq
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.svg import drawing, line, text

HERE = Path(__file__).resolve().parent / "results"
WORKERS = (1, 2, 10, 100, 1_000, 10_000)
DISPATCH = 0.0005  # seconds of the scheduler for a task: 2,000 tasks a second
LATENCY = 0.005  # seconds from the end of a task until its result has arrived
DEATHS = 0.01  # an hour and worker
NOTICED = 5.0  # seconds until the death of a worker is noticed; another one takes its place then
NODE = 70e-9  # seconds of a node, as measured on macmahon4x6
NODES = 10**12
SHARES = 8


class Work(NamedTuple):
    """A task: the seconds it takes, and a function that returns the tasks it leaves."""

    seconds: float
    left: Callable[[], "list[Work]"]


class SimulationResult(NamedTuple):
    """A simulation's result: the share of workers' time that was of use, and tasks repeated."""

    efficiency: float
    seconds: float
    tasks: int
    repeated: int


def simulate(roots: list[Work], workers: int, deaths: float, seed: int = 1) -> SimulationResult:
    """Work all tasks, and those they leave, with so many workers."""
    draw = random.Random(seed)
    waiting = list(reversed(roots))
    events: list[tuple[float, int, Work, bool]] = []  # arrivals of results, and deaths of workers
    idle, now, free_at = workers, 0.0, 0.0
    useful, ended, repeated, number = 0.0, 0, 0, 0
    while waiting or events:
        while waiting and idle:
            task = waiting.pop()
            idle -= 1
            number += 1
            free_at = max(free_at, now) + DISPATCH
            until_death = draw.expovariate(deaths / 3600) if deaths else float("inf")
            if until_death < task.seconds:
                heapq.heappush(events, (free_at + until_death + NOTICED, number, task, False))
            else:
                heapq.heappush(events, (free_at + task.seconds + LATENCY, number, task, True))
        now, _, task, has_ended = heapq.heappop(events)
        idle += 1
        if has_ended:
            useful += task.seconds
            ended += 1
            waiting += reversed(task.left())
        else:
            repeated += 1
            waiting.append(task)
    return SimulationResult(useful / (now * workers), now, ended, repeated)


def measured(name: str) -> tuple[list[Work], float]:
    """Return the tasks of a problem as an executor works them, and their seconds."""
    from benchmarks.problems import NAMED
    from dlx.parallel.crew import REMOTE_BUDGET, REMOTE_DOUBLED, budget
    from dlx.parallel.driver import FIRST_WORK
    from dlx.parallel.task import Question, Task, Worker
    from dlx.search.branch import Branch
    from dlx.search.kernel import choose_kernel

    problem = NAMED[name]()
    worker = Worker(problem, Question((), choose_kernel(problem, "auto").name, False))
    total = 0.0

    def run(task: Task) -> Work:
        nonlocal total
        own = budget(task, REMOTE_BUDGET, REMOTE_DOUBLED) if task.place else FIRST_WORK
        began = time.thread_time()
        result = worker.run(task.branches, own)
        seconds = time.thread_time() - began
        total += seconds
        left = [run(Task((*task.place, k), b)) for k, b in enumerate(result.left)]
        return Work(seconds, lambda: left)

    root = Task((), (Branch((), (), 1.0),))
    run(root)  # compiles
    total = 0.0
    return [run(root)], total


def drawn(seconds: float, generation: int, seed: int) -> Work:
    """Return a task of so many seconds, parted by budgets as in `dlx.parallel.crew`.

    The shares of what is left vary as measured: each is an exponential variable.
    """
    own = min(0.1 * 2 ** min(5, generation), seconds)

    def left() -> list[Work]:
        rest = seconds - own
        if rest <= 1e-6:
            return []
        draw = random.Random(seed)
        number = max(1, min(SHARES, int(rest / own)))  # as `dlx.parallel.task.shares`
        shares = [draw.expovariate(1) for _ in range(number)]
        whole = sum(shares)
        return [
            drawn(rest * share / whole, generation + 1, draw.getrandbits(48)) for share in shares
        ]

    return Work(own, left)


def without_parting(seconds: float, workers: int, seed: int = 1) -> list[Work]:
    """Return a search parted once, beforehand, into about eight pieces for each worker."""
    draw = random.Random(seed)
    pieces = [(-seconds, 0)]
    while len(pieces) < 8 * workers:
        largest, number = heapq.heappop(pieces)
        shares = [draw.expovariate(1) for _ in range(SHARES)]
        # pieces are parted by an estimate of their sizes, which is off by a factor of about two
        for share in shares:
            own = largest * share / sum(shares)
            heapq.heappush(pieces, (own, number + len(pieces)))
    sizes = [-size * draw.lognormvariate(0, 0.7) for size, _ in pieces]
    return [Work(size * seconds / sum(sizes), list) for size in sizes]


def curves() -> dict[str, list[SimulationResult]]:
    """Return the results for each number of workers, by the names of the curves."""
    tasks, total = measured("macmahon4x6")
    large = NODES * NODE
    print(f"macmahon4x6: {total:.2f} s; 10^12 nodes: {large / 3600:.1f} h")
    makes: dict[str, Callable[[int], SimulationResult]] = {
        f"macmahon4x6 ({total:.1f} s)": lambda w: simulate(tasks, w, 0),
        "10^12 nodes": lambda w: simulate([drawn(large, 0, 1)], w, 0),
        "10^12 nodes, workers die": lambda w: simulate([drawn(large, 0, 1)], w, DEATHS),
        "10^12 nodes, parted once": lambda w: simulate(without_parting(large, w), w, 0),
        "10^12 nodes, parted once, workers die": lambda w: simulate(
            without_parting(large, w), w, DEATHS
        ),
    }
    return {name: [make(workers) for workers in WORKERS] for name, make in makes.items()}


def plot(found: dict[str, list[SimulationResult]]) -> str:
    """Return the picture: efficiency by number of workers, a curve for each name."""
    left, top, width, height = 60.0, 20.0, 460.0, 260.0
    colours = ("#1b6ca8", "#2a9d3c", "#84b816", "#c0392b", "#e08e0b")

    def at(k: int, efficiency: float) -> tuple[float, float]:
        return left + width * k / (len(WORKERS) - 1), top + height * (1 - efficiency)

    parts = [line((left, top), (left, top + height)), line(at(0, 0), at(len(WORKERS) - 1, 0))]
    parts += [text((left - 28, at(0, e / 4)[1] + 5), f"{25 * e} %", "", 12) for e in range(5)]
    for k, workers in enumerate(WORKERS):
        parts.append(text((at(k, 0)[0], top + height + 20), f"{workers:,}", "", 12))
    for number, (name, results) in enumerate(found.items()):
        points = [at(k, min(1.0, own.efficiency)) for k, own in enumerate(results)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        style = f'fill="none" stroke="{colours[number]}" stroke-width="2"'
        parts.append(f'<path d="M{path}" {style}/>')
        row = top + height + 48 + 20 * number
        parts.append(
            f'<path d="M{left} {row - 4}h24" stroke="{colours[number]}" stroke-width="3"/>'
        )
        parts.append(text((left + 32, row), name, "left", 13))
    title = "Efficiency by number of workers, simulated"
    return drawing(left + width + 30, top + height + 48 + 20 * len(found), title, parts)


def main() -> None:
    """Simulate; write benchmarks/results/workers.json and workers.svg, and print a table."""
    argparse.ArgumentParser(
        prog="python -m benchmarks.workers", description=(__doc__ or "").replace("`", "")
    ).parse_args()
    found = curves()
    for name, results in found.items():
        print(name)
        for workers, own in zip(WORKERS, results, strict=True):
            print(
                f"  {workers:6,} workers: {own.efficiency:6.1%}, {own.seconds:10.1f} s,"
                f" {own.tasks:7,} tasks, {own.repeated} repeated"
            )
    table: dict[str, Any] = {
        name: {str(w): own._asdict() for w, own in zip(WORKERS, results, strict=True)}
        for name, results in found.items()
    }
    (HERE / "workers.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    (HERE / "workers.svg").write_text(plot(found), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
