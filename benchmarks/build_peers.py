"""Build other people's programs for comparison: ``python -m benchmarks.build_peers SOURCES OUT``.

SOURCES holds the sources, in these folders; programs without sources are not built.

knuth
    ``dlx1.w``, ``dlx2.w``, ``dlx3.w``, ``dlx5.w``, ``ssxcc.w``, ``ssmcc.w``, ``dlx6.w`` and
    ``dlx6-noMRV.ch`` of Knuth's page of programs, and ``gb_flip.w`` of the Stanford GraphBase.
    ``ctangle`` is part of CWEB; Debian's package `cwebx` will do.
tdoku
    A copy of the repository t-dillon/tdoku.
sk_bforce2
    A copy of the repository GPenet/SK_BFORCE2.
rust-sudoku
    A copy of the repository Emerentius/sudoku. cargo takes the crates it needs from
    ``rust-sudoku/vendor`` if that exists (`cargo vendor`), else from ``/usr/share/cargo/registry``
    (Debian's packages librust-rand-dev, librust-thiserror-dev, librust-crunchy-dev).

OUT receives the programs and ``peers.json``, which `python -m benchmarks --peers` reads: for each
peer its command, the pattern of its answer, and its source, compiler and flags.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent / "peers"
C_FLAGS = ("-O3", "-march=native")
KNUTH = {
    "dlx1": "dlx",
    "dlx2": "dlx",
    "ssxcc": "dlx",
    "dlx6": "count",
    "dlx6-first": "count",
    "dlx3": "bounded",
    "ssmcc": "bounded",
    "dlx5": "costs",
}
"""The programs, and whether they visit solutions, count by a memo, take multiplicities or costs."""


COST = r"The optimum cost is:\s+\$(\d+)"


def run(*words: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a command and return its output; raise CalledProcessError if it fails."""
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout


def tool(*names: str) -> str:
    """Return the first of these programs that is installed; raise FileNotFoundError for none."""
    for name in names:
        if shutil.which(name):
            return name
    raise FileNotFoundError(f"none of {', '.join(names)} is installed")


def fingerprint(*files: Path) -> str:
    """Return a short hash of sources, which says which version was built."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return "sha256 " + digest.hexdigest()[:16]


def about(compiler: str, flags: tuple[str, ...], *sources: Path) -> dict[str, str]:
    """Return what is recorded of a program."""
    return {
        "source": fingerprint(*sources),
        "compiler": run(compiler, "--version").splitlines()[0],
        "flags": " ".join(flags),
    }


def knuth(sources: Path, out: Path) -> Iterator[dict[str, Any]]:
    """Build Knuth's programs."""
    ctangle, compiler = tool("ctangle", "ctanglex"), tool("gcc", "cc")
    compatible = ["+c"] if ctangle == "ctanglex" else []  # CWEBx reads CWEB with this flag
    work = out / "knuth"
    shutil.copytree(sources, work, dirs_exist_ok=True)
    (work / "boilerplate.w").touch()  # gb_flip.w includes it for its text only
    run(ctangle, *compatible, "gb_flip.w", cwd=work)
    for name, kind in KNUTH.items():
        base, _, change = name.partition("-")
        if not (work / f"{base}.w").exists():
            continue
        files = [f"{base}.w", "dlx6-noMRV.ch"][: 1 + bool(change)]
        run(ctangle, *compatible, *files, cwd=work)
        flags = (*C_FLAGS, "-w")
        run(compiler, *flags, f"{base}.c", "gb_flip.c", "-o", out / name, cwd=work)
        yield {
            "name": name,
            "kind": kind,
            "command": f"{out / name} <{{dlx}}",
            "answer": COST if kind == "costs" else r"Altogether (\d+) solutions?",
            **about(compiler, flags, *(work / file for file in files)),
        }


def puzzle_peers(
    name: str, program: Path, limits: tuple[int, ...], facts: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Return what `python -m benchmarks` reads of a solver: one peer for each limit."""
    for limit in limits:
        yield {
            "name": f"{name}, {'2' if limit == 2 else 'first'}",
            "kind": "puzzles",
            "compare": "limit 2" if limit == 2 else "first",
            "command": f"{program} {limit} {{puzzles}}",
            "answer": r"total (\d+)",
            **facts,
        }


def tdoku(sources: Path, out: Path) -> Iterator[dict[str, Any]]:
    """Build Tdoku with a program of ours that calls it."""
    compiler = tool("clang++", "g++", "c++")
    flags = (*C_FLAGS, "-std=c++14", "-DNDEBUG", "-w")
    code = [sources / "src" / name for name in ("solver_dpll_triad_simd.cc", "util.cc")]
    run(compiler, *flags, "-I", sources / "include", HERE / "tdoku.cc", *code, "-o", out / "tdoku")
    yield from puzzle_peers("tdoku", out / "tdoku", (2, 1), about(compiler, flags, *code))


def sk_bforce2(sources: Path, out: Path) -> Iterator[dict[str, Any]]:
    """Build SK_BFORCE2 with a program of ours that calls it; its own search counts to 2."""
    compiler = tool("clang++", "g++", "c++")  # g++ 12 makes it up to a quarter slower
    flags = (*C_FLAGS, "-std=c++14", "-DNDEBUG", "-w")
    code = [sources / name for name in ("sk_t.cpp", "sk_bitfields.cpp")]
    program = out / "sk_bforce2"
    run(compiler, *flags, "-I", sources, HERE / "sk_bforce2.cc", *code, "-o", program)
    facts = about(compiler, flags, *code, sources / "Zhn_cpp.h")
    yield from puzzle_peers("sk_bforce2", program, (2,), facts)


def rust_sudoku(sources: Path, out: Path) -> Iterator[dict[str, Any]]:
    """Build the crate sudoku with a program of ours that calls it."""
    work = out / "rust"
    shutil.rmtree(work, ignore_errors=True)
    (work / "src").mkdir(parents=True)
    shutil.copy(HERE / "rust_sudoku.rs", work / "src/main.rs")
    vendor = sources / "vendor"
    crates = vendor if vendor.exists() else Path("/usr/share/cargo/registry")
    (work / "Cargo.toml").write_text(
        '[package]\nname = "peer"\nversion = "0.0.0"\nedition = "2018"\n\n[dependencies]\n'
        f'sudoku = {{ path = "{sources.resolve()}" }}\n\n[profile.release]\nlto = true\n'
        "codegen-units = 1\npanic = 'abort'\n"
    )
    (work / ".cargo").mkdir()
    (work / ".cargo/config.toml").write_text(
        '[source.crates-io]\nreplace-with = "local"\n\n'
        f'[source.local]\ndirectory = "{crates.resolve()}"\n'
    )
    flags = ("-C", "target-cpu=native")
    settings = {"RUSTFLAGS": " ".join(flags)}
    run(tool("cargo"), "build", "--release", "--offline", cwd=work, env=settings)
    shutil.copy(work / "target/release/peer", out / "rust-sudoku")
    code = sorted((sources / "src").rglob("*.rs"))
    facts = about("rustc", ("--release", *flags), *code)
    yield from puzzle_peers("rust", out / "rust-sudoku", (2, 1), facts)


RECIPES = {
    "knuth": knuth,
    "tdoku": tdoku,
    "sk_bforce2": sk_bforce2,
    "rust-sudoku": rust_sudoku,
}


def main() -> int:
    """Build the programs whose sources are there; the exit status is 1 if a recipe failed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.build_peers",
        description=(__doc__ or "").replace("`", ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    peers, status = [], 0
    for name, recipe in RECIPES.items():
        folder = args.sources / name
        if not folder.exists():
            print(f"{name}: no folder {folder}")
            continue
        try:
            built = list(recipe(folder, out))
        except subprocess.CalledProcessError as error:
            print(f"{name}: {' '.join(error.cmd)} failed:\n{error.output}", file=sys.stderr)
            status = 1
        except OSError as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
        else:
            peers += built
            print(f"{name}: {', '.join(peer['name'] for peer in built)}")
    (out / "peers.json").write_text(json.dumps(peers, indent=1) + "\n", encoding="utf-8")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
