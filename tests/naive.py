"""Slow, obvious oracles, with which tests compare the fast code."""

from functools import lru_cache


def sudoku_houses(box_rows, box_columns, diagonal=False):
    """Rows, columns, boxes and perhaps diagonals of a sudoku layout, as lists of cell numbers."""
    size = box_rows * box_columns
    at = [(row, column) for row in range(size) for column in range(size)]
    houses = [[cell for cell in at if cell[0] == row] for row in range(size)]
    houses += [[cell for cell in at if cell[1] == column] for column in range(size)]
    corners = [cell for cell in at if cell[0] % box_rows == 0 and cell[1] % box_columns == 0]
    houses += [
        [(r, c) for r, c in at if 0 <= r - top < box_rows and 0 <= c - left < box_columns]
        for top, left in corners
    ]
    if diagonal:
        houses += [[(i, i) for i in range(size)], [(i, size - 1 - i) for i in range(size)]]
    return [[row * size + column for row, column in house] for house in houses]


def sudoku_solutions(houses, puzzle):
    """All ways, as tuples, to fill the blanks (0) so that each house has each of 1..N once."""
    size = len(houses[0])
    peers = [set() for _ in puzzle]
    for house in houses:
        for cell in house:
            peers[cell] |= {*house} - {cell}
    if any(puzzle[c] and puzzle[c] == puzzle[p] for c in range(len(puzzle)) for p in peers[c]):
        return
    blanks = [cell for cell, digit in enumerate(puzzle) if not digit]
    values = list(puzzle)

    def fill(place):
        if place == len(blanks):
            yield tuple(values)
            return
        cell = blanks[place]
        taken = {values[p] for p in peers[cell]}
        for digit in range(1, size + 1):
            if digit not in taken:
                values[cell] = digit
                yield from fill(place + 1)
        values[cell] = 0

    yield from fill(0)


def exact_covers(options, primary, given=()):
    """All covers, as sorted tuples: of options, each a list of (item, colour or None)."""

    entries = [dict(option) for option in options]
    having = {item: [o for o in range(len(options)) if item in entries[o]] for item in primary}

    def agree(a, b):
        return all(
            item not in entries[b]
            or (item not in having and colour is not None and entries[b][item] == colour)
            for item, colour in options[a]
        )

    def search(chosen, covered):
        missing = next((item for item in primary if item not in covered), None)
        if missing is None:
            yield tuple(sorted(chosen))
            return
        for option in having[missing]:
            if all(agree(option, other) for other in chosen):
                yield from search([*chosen, option], covered.union(entries[option]))

    given = sorted(set(given))
    if all(agree(a, b) for a in given for b in given if a < b):
        yield from search(given, {item for option in given for item in entries[option]})


def bounded_covers(options, bounds, given=()):
    """All sets of options, as sorted tuples, that have each primary item within its bounds.

    Options are lists of (item, colour or None), bounds (low, high) by primary item. An option
    without primary items is in a set only if it is given.
    """

    def fits(chosen):
        colours = {}
        times = dict.fromkeys(bounds, 0)
        for item, colour in (entry for option in chosen for entry in options[option]):
            if item in bounds:
                times[item] += 1
            elif item in colours and (colour is None or colours[item] != colour):
                return False
            colours[item] = colour
        return all(times[item] <= high for item, (_, high) in bounds.items())

    def extend(chosen, option):
        if option == len(options):
            entries = [item for o in chosen for item, _ in options[o]]
            if all(entries.count(item) >= low for item, (low, _) in bounds.items()):
                yield tuple(sorted(chosen))
            return
        yield from extend(chosen, option + 1)
        if option not in given and any(item in bounds for item, _ in options[option]):
            more = [*chosen, option]
            if fits(more):
                yield from extend(more, option + 1)

    given = sorted(set(given))
    if fits(given):
        yield from extend(given, 0)


@lru_cache(maxsize=20)
def _exact_cover(houses, num_cells):
    """The pairs of a cell and a digit that provide each need, and the needs of each pair.

    A need is a cell, or a digit in a house.
    """
    cells, digits = range(num_cells), range(1, len(houses[0]) + 1)
    needs = {(cell, digit): [cell] for cell in cells for digit in digits}
    for number, house in enumerate(houses):
        for cell in house:
            for digit in digits:
                needs[cell, digit].append((number, digit))
    ways = {}
    for way, needed in needs.items():
        for need in needed:
            ways.setdefault(need, set()).add(way)
    return ways, needs


def sudoku_count(houses, puzzle, limit):
    """How many solutions a puzzle has, up to a limit.

    Always continues with the fewest choices: the digits of a cell, or the places of a digit.
    """
    everything, needs = _exact_cover(tuple(map(tuple, houses)), len(puzzle))
    ways = {need: set(those) for need, those in everything.items()}

    def choose(ways, way):
        for need in needs[way]:
            for other in ways.pop(need):
                for lost in needs[other]:
                    if lost in ways:
                        ways[lost].discard(other)

    def count(ways, limit):
        while ways:
            fewest = min(ways.values(), key=len)
            if len(fewest) != 1:
                break
            choose(ways, *fewest)
        else:
            return 1
        found = 0
        for way in sorted(fewest):
            if found < limit:
                left = {need: set(those) for need, those in ways.items()}
                choose(left, way)
                found += count(left, limit - found)
        return found

    for given in enumerate(puzzle):
        if given in needs:
            if given not in ways[given[0]]:
                return 0
            choose(ways, given)
    return count(ways, limit)
