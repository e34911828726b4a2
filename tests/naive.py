"""Slow, obvious oracles that fast code is held against."""


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
    peers = [{p for h in houses if c in h for p in h} - {c} for c in range(len(puzzle))]
    if any(puzzle[c] and puzzle[c] == puzzle[p] for c in range(len(puzzle)) for p in peers[c]):
        return

    def fill(values):
        if 0 not in values:
            yield tuple(values)
            return
        cell = values.index(0)
        for digit in range(1, size + 1):
            if all(values[p] != digit for p in peers[cell]):
                yield from fill([*values[:cell], digit, *values[cell + 1 :]])

    yield from fill(list(puzzle))


def exact_covers(options, primary, given=()):
    """All covers, as sorted tuples: of options, each a list of (item, colour or None)."""

    def agree(a, b):
        colours = dict(options[b])
        return all(
            item not in colours
            or (item not in primary and colour is not None and colours[item] == colour)
            for item, colour in options[a]
        )

    def search(chosen):
        covered = {item for option in chosen for item, _ in options[option]}
        missing = [item for item in primary if item not in covered]
        if not missing:
            yield tuple(sorted(chosen))
            return
        for option, entries in enumerate(options):
            if missing[0] in dict(entries) and all(agree(option, other) for other in chosen):
                yield from search([*chosen, option])

    given = sorted(set(given))
    if all(agree(a, b) for a in given for b in given if a < b):
        yield from search(given)


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
        if not fits(chosen):
            return
        if option == len(options):
            entries = [item for o in chosen for item, _ in options[o]]
            if all(entries.count(item) >= low for item, (low, _) in bounds.items()):
                yield tuple(sorted(chosen))
            return
        yield from extend(chosen, option + 1)
        if option not in given and any(item in bounds for item, _ in options[option]):
            yield from extend([*chosen, option], option + 1)

    yield from extend(sorted(set(given)), 0)


def sudoku_count(houses, puzzle, limit):
    """How many solutions a puzzle has, up to a limit.

    Always goes on with what has fewest ways: the digits of a cell or the places of a digit.
    """
    size = len(houses[0])
    digits = range(1, size + 1)
    peers = [{p for h in houses if c in h for p in h} - {c} for c in range(len(puzzle))]
    if any(puzzle[c] and puzzle[c] == puzzle[p] for c in range(len(puzzle)) for p in peers[c]):
        return 0

    def count(values, free, limit):
        if not free:
            return 1
        ways = [[(cell, digit) for digit in free[cell]] for cell in free]
        for house in houses:
            for digit in set(digits) - {values[cell] for cell in house}:
                ways.append([(c, digit) for c in house if c in free and digit in free[c]])
        found = 0
        for cell, digit in min(ways, key=len):
            if found < limit:
                left = {
                    c: free[c] - {digit} if c in peers[cell] else free[c] for c in free if c != cell
                }
                tried = [*values[:cell], digit, *values[cell + 1 :]]
                found += count(tried, left, limit - found)
        return found

    blanks = [cell for cell in range(len(puzzle)) if puzzle[cell] == 0]
    free = {cell: set(digits) - {puzzle[p] for p in peers[cell]} for cell in blanks}
    return count(list(puzzle), free, limit)
