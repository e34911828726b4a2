"""Puzzles in every format, and short ways to read them."""

from sudoku.reading.reader import Reader

NINE = "000000002004200601600000900960804100000903000008706049005000008107008300400000000"
ROWS = [NINE[i : i + 9] for i in range(0, 81, 9)]
DOTTED = NINE.replace("0", ".")
DOTTED_ROWS = [DOTTED[i : i + 9] for i in range(0, 81, 9)]
SPACED = "\n".join(" ".join(row) for row in ROWS)
WORDS = "Ann . . Bob\n. Eve .  .\n. . . .\nSue . . Ann\n"


def ruled(row, bar="|"):
    return f"{bar}{row[:3]}{bar}{row[3:6]}{bar}{row[6:]}{bar}"


def banded(rows, rule, top=True):
    bands = ["\n".join(rows[i : i + 3]) for i in (0, 3, 6)]
    inner = f"\n{rule}\n".join(bands)
    return f"{rule}\n{inner}\n{rule}" if top else inner


def read(text, **ask):
    """All puzzles as (shape, size, line), and all faults, of a text."""
    faults = []
    reader = Reader(on_error=lambda fault: faults.append(str(fault)), **ask)
    found = []
    for batch in reader.text(text, "t"):
        cells = batch.layout.cells
        for start in range(0, len(batch.values), cells):
            line = batch.symbols.text(batch.values[start : start + cells])
            found.append((batch.shape, batch.layout.size, line))
    return found, faults


def files(tmp_path, data):
    path = tmp_path / "p.txt"
    path.write_bytes(data)
    return str(path)


FORMATS = {
    "line": NINE,
    "dots": DOTTED,
    "stars": NINE.replace("0", "*"),
    "underscores": NINE.replace("0", "_"),
    "dashes": NINE.replace("0", "-"),
    "groups on a line": " ".join(ROWS),
    "spaced cells on a line": " ".join(NINE),
    "commas on a line": ",".join(NINE),
    "rows": "\n".join(ROWS),
    "rows of dashes": "\n".join(ROWS).replace("0", "-"),
    "spaced": SPACED,
    "wide": SPACED.replace(" ", "   "),
    "tabs": SPACED.replace(" ", "\t"),
    "commas": SPACED.replace(" ", ","),
    "comma and blank": SPACED.replace(" ", ", "),
    "semicolons": SPACED.replace(" ", ";"),
    "empty fields": SPACED.replace(" ", ",").replace("0", ""),
    "empty tabbed fields": SPACED.replace(" ", "\t").replace("0", ""),
    "groups": "\n".join(f"{r[:3]} {r[3:6]} {r[6:]}" for r in ROWS),
    ".ss": banded([ruled(r) for r in DOTTED_ROWS], "*-----------*"),
    "ruled": banded([ruled(r) for r in ROWS], "+---+---+---+"),
    "ruled inside": banded([ruled(r) for r in ROWS], "---+---+---", top=False),
    "dashes as rules": banded([ruled(r) for r in DOTTED_ROWS], "-----------"),
    "dashes as rules and blanks": banded(
        [ruled(r).replace(".", "-") for r in DOTTED_ROWS], "-----------"
    ),
    "bars in rules": banded([ruled(r, "")[:11] for r in DOTTED_ROWS], "---|---|---", top=False),
    "boxes drawn": banded([ruled(r, "│") for r in ROWS], "├───┼───┼───┤"),
    "spaced and ruled": banded(
        [" ".join(ruled(r)) for r in DOTTED_ROWS], "-------------------------"
    ),
    "bands apart by blank lines": "\n\n".join("\n".join(ROWS[i : i + 3]) for i in (0, 3, 6)),
    "header": "Grid 01\n" + "\n".join(ROWS),
    "section": "#A me\n#D a puzzle\n[Puzzle]\n" + "\n".join(ROWS),
    "state and notes": "\n".join(["[Puzzle]", *ROWS, "[State]", *ROWS, "[Pencilmarks]", "12,,3"]),
    "number": "12.\n" + "\n".join(ROWS),
    "comments": "# one\n" + "\n# two\n".join(ROWS) + " # three",
    "indented": "\n".join("    " + row for row in ROWS),
    "padded numbers": "\n".join(" ".join("0" + c for c in row) for row in ROWS),
    "CSV": f"puzzle,solution\n{NINE},{NINE}",
    "quoted CSV": f'"puzzle","rating"\n"{NINE}","1.2"',
    "CSV with the puzzle elsewhere": f"id,puzzle,solution\n7,{NINE},{NINE}",
    "CSV of one column": f"puzzle\n{NINE}",
    "quoted CSV of one column": f'"puzzle"\r\n"{NINE}"',
    "quoted CSV of one column and a mark": f'\ufeff"puzzle"\n"{NINE}"',
    "CSV of one column, quoted below": f'puzzle\n"{" ".join(ROWS)}"',
    "CSV with semicolons": f'puzzle;n\n"{NINE}";1',
    "CSV with semicolons, elsewhere": f"n;puzzle\n1;{NINE}",
    "numbers in the first column": f"1;{NINE};Ann",
    "CSV with tabs": f'"n"\t"puzzle"\n"1"\t"{NINE}"',
    "CSV with blanks after commas": f'"n", "puzzle"\n"1, one", "{NINE}"',
    "quoted fields": f'"{NINE}","1"',
    "one quoted field": f'"{NINE}"',
    "quoted field with blanks": f'"{" ".join(NINE)}";1',
    "quoted rows": "\n".join(f'"{row}"' for row in ROWS),
    "quoted cells": "\n".join(",".join(f'"{c}"' for c in row) for row in ROWS),
    "quoted cells, none for a blank": "\n".join(
        ",".join(f'"{c}"' for c in row) for row in ROWS
    ).replace("0", ""),
    "rated": f"{NINE} 2.5",
    "with its solution": f"{NINE},{NINE.replace('0', '1')}",
    "named": f"{NINE} ; a fine one",
    "CRLF": "\r\n".join(ROWS) + "\r\n",
    "CR": "\r".join(ROWS) + "\r",
    "mark": "\ufeff" + NINE,
    "DOS end": NINE + "\r\n\x1a",
}
