"""``python -m dlx.models``."""

import os
from contextlib import redirect_stdout, suppress
from xml.etree import ElementTree

import pytest

import dlx
from dlx import models
from dlx.build import MAX_ENTRIES
from dlx.models.__main__ import main
from dlx.models.catalogue import MODELS

TOO_LARGE = "the model would have more than 268435456 entries, the most of a problem"
MANY = "9" * 5000  # digits, more than int() takes


def run(capsys, *arguments):
    status = main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


def test_the_list_names_all_models_and_parameters(capsys):
    status, out, err = run(capsys, "--list")
    assert (status, err) == (0, "") and run(capsys)[1] == out
    for name, entry in MODELS.items():
        assert f"{name} " in out
        assert all(f"--{parameter.name} " in out for parameter in entry.parameters)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "words"])
def test_each_model_is_made_with_its_defaults(name, capsys):
    sizes = {"polyominoes": ["--region", "3x20"], "partridge": ["--n", "1"]}
    small = sizes.get(name, [])
    status, out, err = run(capsys, name, *small, "--format", "dlx")
    assert (status, err) == (0, "")
    problem = dlx.loads(out)
    assert problem.num_options > 5 or name in ("partridge", "schedule")
    status, out, _ = run(capsys, name, *small, "--format", "svg")
    assert status == 0 and ElementTree.fromstring(out).tag.endswith("svg")


def test_texts_counts_and_solutions_by_number(capsys):
    assert run(capsys, "langford", "--n", "3")[:2] == (0, "3 1 2 1 3 2\n")
    assert run(capsys, "langford", "--n", "3", "--index", "1")[:2] == (0, "2 3 1 2 1 3\n")
    assert run(capsys, "langford", "--n", "3", "--index", "2") == (
        2, "", "dlx.models: --index 2: the model has 2 solutions; numbers begin at 0\n",
    )  # fmt: skip
    assert run(capsys, "langford", "--n", "5") == (1, "", "there is no solution\n")
    assert run(capsys, "langford", "--n", "5", "--count")[:2] == (1, "0\n")
    assert run(capsys, "queens", "--n", "6", "--count")[:2] == (0, "4\n")


@pytest.mark.parametrize(
    ("region", "more", "cells"),
    [
        ("5x5", (), "the pieces have 60 cells, the region 25; copies says how often"),
        ("3x4", ("--pieces", "A=XX,B=XXX", "--copies", "A=1,B=0:2"), "have 2 to 8 cells"),
        ("1x1", ("--pieces", "A=XX", "--slack"), "the pieces have 2 cells, the region 1"),
        ("2x2", ("--pieces", "A=XX", "--copies", "A=1:3"), ""),
        ("1x3", ("--pieces", "A=XX", "--slack"), ""),
        ("1x3", ("--pieces", "A=XX", "--copies", "any"), ""),
    ],
)
def test_pieces_that_cannot_fill_a_region_are_told(region, more, cells, capsys):
    status, _, error = run(capsys, "polyominoes", "--region", region, *more, "--count")
    assert cells in error and bool(cells) == bool(error)
    assert status == 1 or not cells
    picture = run(capsys, "polyominoes", "--region", region, *more)
    if cells:
        assert picture == (1, "", error)


def test_schedules_designs_and_flat_pieces_in_a_solid_region(capsys):
    assert run(capsys, "schedule")[1] == "cut   cut\npaint pack\n"
    own = ["--tasks", "a=2,b", "--people", "X=a+b,Y=b", "--slots", "3"]
    assert run(capsys, "schedule", *own, "--count")[1] == "8\n"
    assert run(capsys, "designs", "--n", "6", "--fold", "2", "--count")[1] == "12\n"
    cube = ["--region", "3x3x3", "--pieces", "soma", "--no-reflections"]
    assert run(capsys, "polyominoes", *cube, "--count")[1] == "11520\n"


def test_words_come_from_a_file_and_output_goes_to_one(tmp_path, capsys):
    (tmp_path / "words").write_text("ton are ta\nor ne\n")
    size = ["--rows", "2", "--columns", "3"]
    status, out, _ = run(
        capsys, "words", "--words", str(tmp_path / "words"), *size, "-o", str(tmp_path / "out")
    )
    assert (status, out) == (0, "")
    assert (tmp_path / "out").read_text() == "t o n\na r e\n"


def test_words_with_signs_of_the_format_are_read_back(tmp_path, capsys):
    words = ["a:", "a|", "a_", ".:", "%|", "__"]
    (tmp_path / "words").write_text(" ".join(words))
    arguments = ["words", "--words", str(tmp_path / "words"), "--rows", "2", "--columns", "2"]
    for more in ([], ["--repeats"]):
        status, out, err = run(capsys, *arguments, *more, "--format", "dlx")
        assert (status, err) == (0, "")
        model = models.word_rectangle(2, 2, words, repeats=bool(more))
        assert problem_arrays(dlx.loads(out)) == problem_arrays(model.problem)


def problem_arrays(problem):
    return problem.start.tolist(), problem.item.tolist(), problem.colour.tolist()


def test_pieces_regions_and_copies(capsys):
    arguments = ["--region", "XX/XX/XX", "--pieces", "L=XX/X.,I=XX"]
    assert run(capsys, "polyominoes", *arguments, "--copies", "L=2,I=0", "--count")[1] == "2\n"
    assert run(capsys, "polyominoes", *arguments, "--copies", "L=0:2,I=0:3", "--count")[1] == "5\n"
    once = ["polyominoes", "--region", "1x3", "--pieces", "domino", "--slack"]
    assert run(capsys, *once)[1] in ("a a .\n", "d d .\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["polyominoes", "--region", "0x5"],
            "--region: '0x5' is no shape; draw it with X and ., rows by /\n",
        ),
        (["polyominoes", "--pieces", "a=X/o"], "--pieces: 'X/o' is no shape; draw it with X and"),
        (["polyominoes", "--region", "2x2x2x2"], "--region: '2x2x2x2' is no region"),
        (["polyominoes", "--pieces", "x"], "--pieces: 'x' is no piece such as I=XXXX"),
        (["polyominoes", "--pieces", "a=X,a=X"], "--pieces: piece 'a' is given twice"),
        (["polyominoes", "--copies", "a"], "--copies: 'a' is no number of copies"),
        (["polyominoes", "--copies", "I=1,I=2"], "--copies: piece 'I' is given twice"),
        (
            ["polyominoes", "--copies", "Q=2"],
            "copies: there is no piece 'Q'; there are F, I, L, N, ",
        ),
        (["queens", "--n", "x"], "--n: 'x' is not a whole number"),
        (["queens", "--n", "-1"], "n is -1; it must be a whole number from 1 on"),
        (["queens", "--n", "1000001"], "--n: '1000001' is not a whole number up to 1,000,000"),
        (["queens", "--n", "0"], "n is 0; it must be a whole number from 1 on"),
        (["schedule", "--tasks", "a=x"], "--tasks: 'a=x' is no task such as cut=2"),
        (["schedule", "--tasks", "a,a=2"], "--tasks: task 'a' is given twice"),
        (["schedule", "--people", "Ann"], "--people: 'Ann' is no person with tasks"),
        (["schedule", "--people", "A=cut,A=cut"], "--people: person 'A' is given twice"),
        (["schedule", "--people", "A=sew"], "'A' can do 'sew', which is no task"),
        (["domination", "--man", "pawn"], "there is no chessman 'pawn'"),
        (["domination", "--men", "65"], "men is 65; it must be at most 64"),
        (["mates", "--square", "0,x"], "--square: '0,x' is no square"),
        (["mates", "--square", "0_0"], "--square: '0_0' is no square"),
        (["mates", "--square", MANY], "--square: '999"),
        (["polyominoes", "--region", f"{MANY}x1"], f"--region: '{'9' * 96}... is no region"),
        (["polyominoes", "--copies", f"I={MANY}"], f"--copies: 'I={'9' * 94}... is no number of"),
        (["polyominoes", "--pieces", MANY], "--pieces: '999"),
        (["schedule", "--people", f"{MANY}={MANY}"], "'999"),
        (["words", "--words", "/no/such/file"], "--words /no/such/file: No such file"),
        (["words", "--words", "/dev/zero"], "--words"),  # a binary file, or there is none
        (["rosters", "--pairings", "x"], "--pairings: 'x' is not a whole number"),
        (["rosters", "--seed", "-1"], "--seed: '-1' is not a whole number of at least 0"),
        (["rosters", "--seed", "1.5"], "--seed: '1.5' is not a whole number of at least 0"),
    ],
)
def test_wrong_parameters_are_refused_in_one_line(arguments, message, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"dlx.models: {message}") and err.count("\n") == 1
    assert len(err) < 300


@pytest.mark.parametrize(
    "arguments",
    [
        *(["queens", "n"], ["domination", "n"], ["langford", "n"], ["latin", "n"]),
        *(["partridge", "n"], ["matchings", "n"], ["designs", "n"], ["partitions", "n"]),
        *(["macmahon", "rows"], ["macmahon", "colours"], ["rosters", "flights"]),
    ],
    ids=str,
)
def test_models_of_a_size_that_no_problem_has_are_refused_at_once(arguments, capsys):
    model, name = arguments
    status, out, err = run(capsys, model, f"--{name}", "1000000")
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert err.endswith(f"{TOO_LARGE}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["polyominoes", "--region", "10000x10000x10000"],
        ["schedule", "--tasks", "cut=500000", "--people", "A=cut", "--slots", "1000000"],
        ["words", "--words", os.devnull, "--rows", "1000000", "--columns", "1000000"],
        ["partridge", "--n", "30"],
        ["partitions", "--n", "25"],
    ],
    ids=str,
)
def test_models_with_too_many_entries_in_few_options_are_refused_at_once(arguments, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert err.endswith(f"{TOO_LARGE}\n")


def test_a_large_schedule_of_few_options_is_made():
    """Each task by each person in each slot would be too large."""
    assert MAX_ENTRIES < 3000 * 300 * 300
    tasks = {f"task {k}": 1 for k in range(3000)}
    people = {f"person {k}": [f"task {k}"] for k in range(300)}
    problem = models.schedule(tasks, people, 300).problem
    assert (problem.num_options, problem.num_entries) == (90_000, 180_000)


@pytest.mark.parametrize("form", ["text", "svg", "dlx"])
def test_a_name_that_is_no_text_is_refused_in_one_line(form, capsys):
    """Python has a surrogate for each byte of an argument that is not UTF-8."""
    arguments = ["--region", "1x2", "--pieces", "\udcff=XX", "--format", form]
    status, out, err = run(capsys, "polyominoes", *arguments)
    assert (status, out) == (2, "") and err.count("\n") == 1 and "UTF-8 text" in err


def test_the_cheapest_solution_is_not_the_first(capsys):
    small = ["rosters", "--flights", "12", "--pairings", "60"]
    own = models.crew_rosters(12, 60)
    outputs = [run(capsys, *small, *index)[1] for index in ([], ["--index", "0"])]
    ((_, best),) = dlx.cheapest(own.problem)
    assert outputs == [own.text(best), own.text(dlx.solve(own.problem))]
    assert outputs[0] != outputs[1]


@pytest.mark.parametrize("arguments", [["--count", "queens"], ["queens", "6"], ["--list", "--n"]])
def test_unknown_arguments_are_reported_with_an_example(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    err = capsys.readouterr().err
    assert err.startswith("dlx.models: unrecognized arguments: ") and err.count("\n") == 1
    assert "; those of a model follow its name, as in queens --n 8; " in err


def test_tasks_of_the_solver_are_named_as_such(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["queens", "--n", "6", "--all"])
    assert capsys.readouterr().err == (
        "dlx.models: unrecognized arguments: --all; it is an option of "
        "python -m dlx.models queens --format dlx | python -m dlx -; see --help\n"
    )


def test_a_list_takes_no_model(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--list", "queens"])
    assert "--list names all models: leave out the model" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_list_that_cannot_be_written(capsys):
    # closing the file fails, too
    with suppress(OSError), open("/dev/full", "w") as full, redirect_stdout(full):
        assert main(["--list"]) == 2
    assert capsys.readouterr().err == (
        "dlx.models: <stdout>: cannot be written: No space left on device\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        *(["hexagons"], ["queens", "--format", "pdf"], ["words"]),
        ["queens", "--count", "--format", "svg"],
        ["queens", "--count", "--index", "0"],
        ["queens", "--format", "dlx", "--index", "1"],
    ],
)
def test_wrong_usage_is_refused_in_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_index_beyond_any_number(capsys):
    status, out, err = run(capsys, "queens", "--n", "4", "--index", str(10**20))
    assert (status, out, err) == (
        2,
        "",
        f"dlx.models: --index {10**20}: the model has 2 solutions; numbers begin at 0\n",
    )


def test_a_seed_may_be_larger_than_a_size(capsys):
    small = ["rosters", "--flights", "12", "--pairings", "60", "--seed", str(10**20)]
    model = models.crew_rosters(12, 60, 10**20)
    [cheapest] = dlx.cheapest(model.problem)
    assert run(capsys, *small)[:2] == (0, model.text(cheapest.solution))
