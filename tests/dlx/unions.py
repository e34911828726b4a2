"""Problems made of several others: side by side, or connected by a few options."""

import random

from benchmarks import problems
from dlx import Coloured, Problem, Search


def disjoint_union(*several, seed=0):
    """The problems as one, with no item in common; shuffled, unless the seed is None."""

    def rename(part, item):
        if isinstance(item, Coloured):
            return Coloured((part, item.item), item.colour)
        return (part, item)

    options, primary, secondary = [], [], []
    for part, problem in enumerate(several):
        names = [(part, item) for item in problem.items]
        primary += names[: problem.num_primary]
        secondary += names[problem.num_primary :]
        options += [
            [rename(part, item) for item in problem.option(i)] for i in range(problem.num_options)
        ]
    if seed is not None:
        draw = random.Random(seed)
        for names in (options, primary, secondary):
            draw.shuffle(names)
    return Problem(options, primary=primary, secondary=secondary)


def bridged(left, right, options, seed=0):
    """Two problems tied together by one item, each of whose options has an item of either."""
    whole = disjoint_union(left, right, seed=seed)
    ties = [["bridge", (0, first), (1, second)] for first, second in options]
    tied = [list(whole.option(i)) for i in range(whole.num_options)] + ties
    random.Random(seed).shuffle(tied)
    primary = [*whole.items[: whole.num_primary], "bridge"]
    random.Random(seed).shuffle(primary)
    return Problem(tied, primary=primary, secondary=whole.items[whole.num_primary :])


def without(problem, item):
    """What a problem is once a primary item is covered."""
    options = [problem.option(i) for i in range(problem.num_options)]
    left = [option for option in options if item not in option]
    primary = [p for p in problem.items[: problem.num_primary] if p != item]
    return Problem(left, primary=primary, secondary=problem.items[problem.num_primary :])


def tied_blocks(items, options):
    """Two blocks of random sets and their ties; how many solutions there are, block by block."""
    blocks = [problems.random_sets(3, items, options, seed) for seed in (1, 2)]
    ties = [(seed, 7 * seed % items) for seed in range(1, 6)]
    one = [[Search(without(b, tie[k])).count() for tie in ties] for k, b in enumerate(blocks)]
    return bridged(*blocks, ties), sum(a * b for a, b in zip(*one, strict=True))
