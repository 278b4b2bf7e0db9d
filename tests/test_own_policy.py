"""Own code: the same rows whatever plays it, what it gets, its options, one clear message for each fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import contract
import numpy as np
import own_code
import pytest

import veggies_sim as vs
from veggies_sim.core.candidates import Candidates
from veggies_sim.core.game import Keys
from veggies_sim.core.own_policy import CHUNK, own_kind
from veggies_sim.core.policy import policies_for
from veggies_sim.core.replay import replay
from veggies_sim.core.streams import CHOICE, TIE, uniforms

GAME = vs.Veggies(players=3)
PLAY = ("simulate", "--games", 6, "--seed", 7)
FORMS = [own_code.careful, own_code.any_move]


def name(function: Callable[..., Any]) -> str:
    return f"py:own_code:{function.__name__}"


# ---- the same rows


@pytest.fixture(scope="module", params=FORMS, ids=name)
def form(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return request.param


@pytest.fixture(scope="module")
def plain(form: Callable[..., Any]) -> vs.Run:
    return vs.simulate(GAME, form, 60, seed=7, jobs=1, record="moves")


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("block", [1, 7, 4096])
def test_rows_do_not_depend_on_jobs_or_blocks(form: Any, plain: vs.Run, jobs: int, block: int) -> None:
    assert vs.simulate(GAME, form, 60, seed=7, jobs=jobs, block=block).seats.equals(plain.seats)


def test_rows_do_not_depend_on_the_backend_or_the_words(form: Any, plain: vs.Run) -> None:
    for policies in (form, [name(form)] * 3):
        again = vs.simulate(GAME, policies, 60, seed=7, jobs=2, backend="processes", record="moves")
        assert again.seats.equals(plain.seats) and again.moves.equals(plain.moves)
    assert set(plain.seats["policy"]) == {name(form)} and plain.manifest.policies == [name(form)] * 3


def test_rows_of_the_command_line(form: Any, plain: vs.Run, tmp_path: Path, cli: Any) -> None:
    for jobs in (1, 2):
        words = ("--policy", name(form), "--games", 60, "--seed", 7, "--jobs", jobs, "--out", tmp_path / str(jobs))
        assert cli("simulate", *words)[0] == 0
        assert vs.open_dataset(tmp_path / str(jobs)).seats.equals(plain.seats)


@pytest.mark.parametrize("check", [contract.check_choices, contract.check_tables], ids=lambda check: check.__name__)
def test_own_code_keeps_the_contract_of_policies(check: contract.Check, form: Any) -> None:
    for players in (2, 4):
        check(vs.Veggies(players), name(form))


def test_rows_do_not_depend_on_what_sits_beside(form: Any) -> None:
    mixed = [vs.simulate(GAME, [form, "random", other], 9, seed=7, jobs=1, rotate_seats=True) for other in (form, name(form))]
    assert mixed[0].seats.equals(mixed[1].seats)


SMALL = """
import own_code, veggies_sim as vs
for form in (own_code.careful, own_code.any_move):
    run = vs.simulate(vs.Veggies(players=2, stand_size=3), form, 2, seed=3, jobs=1, record="moves")
    print(run.seats.write_csv(), run.moves.write_csv())
"""


def test_same_rows_with_the_jit_off(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(SMALL, {})
    found = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root / "tests")}
    done = subprocess.run([sys.executable, "-W", "error", "-c", SMALL], capture_output=True, text=True, env=found)
    assert done.returncode == 0, done.stderr
    assert done.stdout == capsys.readouterr().out and "any_move" in done.stdout


# ---- what is chosen, and by which draw


def decisions(policy: Any, games: int = 20) -> Iterator[tuple[Any, Candidates, Any]]:
    """Play a policy and yield (view, all moves, the number of each game's choice) at every turn."""
    spec, every = policies_for(policy, GAME)[0], np.arange(games)
    chooser, keys = spec.kind.build(GAME, spec.values), Keys(every.astype(np.uint64), every.astype(np.uint64), 5, 6)
    block = GAME.new_block(keys)
    for turn, seat in GAME.schedule():
        view, moves = GAME.view(block, keys, turn, seat), np.zeros((games, 4), np.int16)
        chooser.choose(view, every, moves)
        found = GAME.candidates(view, every)
        same = (found.moves == np.repeat(moves, np.diff(found.start), axis=0)).all(axis=1)
        assert (np.add.reduceat(same, found.start[:-1], dtype=int) == 1).all()
        yield view, found, np.flatnonzero(same)
        GAME.apply(block, turn, seat, moves, False)


@pytest.mark.parametrize(("function", "stream"), [(own_code.zero, TIE), (own_code.any_move, CHOICE)])
def test_equal_scores_are_uniform_over_the_moves_in_order(function: Any, stream: int) -> None:
    for view, found, chosen in decisions(function):
        draws = uniforms(view.seed, stream, view.seat, view.index, view.turn)
        assert (chosen - found.start[:-1] == (draws * np.diff(found.start)).astype(int)).all()


def test_scores_by_value_play_as_heuristic() -> None:
    runs = [vs.simulate(GAME, policy, 200, seed=7, jobs=1) for policy in (own_code.value, "heuristic")]
    assert runs[0].seats.drop("policy").equals(runs[1].seats.drop("policy"))


def test_scores_by_value_are_as_good_as_greedy() -> None:
    for policy in (own_code.value, own_code.best_value, "greedy"):
        for _, found, chosen in decisions(policy):
            values = found.features[:, 0]
            assert (values[chosen] == np.maximum.reduceat(values, found.start[:-1])).all()


def test_own_code_gets_features_and_nothing_else() -> None:
    seen = []

    def looks(*given: Any) -> Any:
        seen.append(given)
        return given[0][:, 0]

    def spy(features: Any, names: Any) -> Any:
        return looks(features, names)

    every = np.arange(3, dtype=np.uint64)
    keys = Keys(every, every, 5, 6)
    view = GAME.view(GAME.new_block(keys), keys, 0, 1)
    own_kind(spy).build(GAME, {}).choose(view, np.arange(3), np.zeros((3, 4), np.int16))
    (features, names), *_ = seen
    assert features.dtype == np.float32 and names == [feature.name for feature in GAME.features]
    assert not features.flags.writeable
    assert not any(np.shares_memory(features, shown) for shown in view if isinstance(shown, np.ndarray))
    names.clear()  # it is the function's own
    vs.simulate(GAME, spy, 2, seed=7, jobs=1)


# ---- options


def test_options_are_numbers_of_their_kind(tmp_path: Path, cli: Any) -> None:
    words = f"{name(own_code.careful)}:rat=3,wide=2"
    assert cli(*PLAY, "--policy", words, "--out", tmp_path / "run")[0] == 0
    run = vs.open_dataset(tmp_path / "run")
    assert set(run.seats["policy"]) == {f"{name(own_code.careful)}:rat=3,wide=2"}

    def same(features: Any, names: Any) -> Any:
        return own_code.careful(features, names, 3.0, 2)

    assert vs.simulate(GAME, same, 6, seed=7).seats.drop("policy").equals(run.seats.drop("policy"))
    assert policies_for(f"{name(own_code.careful)}:rat=1", GAME)[0].values == {"rat": 1.0, "wide": 0}
    assert str(policies_for(f"{name(own_code.careful)}:rat=1", GAME)[0]) == name(own_code.careful)


# ---- faults

FAULTS = [
    ("py:", "give py:module:function"), ("py:own_code", "'py:own_code': give py:module"), ("py::zero", "give py:module"),
    ("py:own code:zero", "give py:module:function"), ("py:../own_code:zero", "give py:module:function"),
    ("py:no_such_module:zero", "No module named 'no_such_module'"),
    ("py:fails:zero", "module fails can't be imported (ZeroDivisionError: division by zero (fails.py line 1))"),
    ("py:quits:zero", "module quits can't be imported (SystemExit: 3 (quits.py line 1))"), ("py:typo:zero", "SyntaxError"),
    ("py:own_code:zeros", "Did you mean 'zero'? Valid: "), ("py:own_code:np_is_no_function", "unknown function"),
    ("py:own_code:too_few", "found f(features); valid: f(features, names"), ("py:own_code:other_names", "found f(moves, names)"),
    ("py:own_code:no_default", "argument rat has no default; write rat=1.0"), ("py:own_code:text_option", "mood='good'"),
    ("py:own_code:flag_option", "wild=True"), ("py:own_code:endless", "rat: found inf"), ("py:own_code:Thing", "found a class"),
    ("py:own_code:option_of_decision", "found f(features, u, rat=1)"), ("py:own_code:not_compiled", "put @numba.njit before it"),
    ("py:own_code:short", "returned numbers of shape (1,); return an array with one number for each of the 2"),
    ("py:own_code:square", "numbers of shape (2, 24)"), ("py:own_code:nothing", "returned None; return"),
    ("py:own_code:words", "returned texts of"),
    ("py:own_code:imaginary", "complex"), ("py:own_code:no_number", "a score is nan at turn 0"),
    ("py:own_code:raises", "ValueError: 'valu' is not in list (own_code.py line "), ("py:own_code:leaves", "SystemExit"),
    ("py:own_code:writes", "read-only"), ("py:own_code:compares", "by its own row"),
    ("py:own_code:draws", "nothing at random"), ("py:own_code:rolls", "nothing at random"),
    ("py:own_code:beyond", "chose move 2 of 2; valid: 0..1"), ("py:own_code:below", "chose move -1 of 2"),
    ("py:own_code:stops", "ZeroDivisionError"), ("py:own_code:many", "returned array("),
    ("py:own_code:changes", "does not compile: features can't be written to, use features.copy() (own_code.py line "),
    ("py:own_code:typo", "does not compile: Unknown attribute 'foo' of type"),
    ("py:own_code:reads_beyond", "IndexError: index is out of bounds"), ("py:own_code:unlocks", "cannot set WRITEABLE"),
    ("py:own_code:half", "returned 0.5; return the number of a move"), ("py:own_code:yes", "returned True; return the number"),
    ("py:own_code:yields", "has a yield"), ("py:own_code:waits", "is async"),
    ("py:own_code:careful:rats=2", "Did you mean 'rat'?"), ("py:own_code:careful:wide=2.5", "a whole number"),
    ("py:own_code:careful:rat=nan", "a number"), ("py:own_code:careful:rat=1e300", "out of range"),
    ("py:own_code:careful:wide=" + "9" * 20, "out of range"), ("py:own_code:careful:", "key=value"),
    ("py:own_code:careful:rat=1:wide=2", "options are separated by commas: py:own_code:careful:rat=1,wide=2."),
    ("heuristic:value=1:rats=2", "separated by commas: heuristic:value=1,rats=2."),
    ("py:own_code:careful:rat=1,rat=2", "given twice"), ("py:own_code:any_move:rat=1", "unknown option"),
]  # fmt: skip


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, beside modules that fail."""
    for module, text in (("fails", "1 / 0"), ("quits", "raise SystemExit(3)"), ("typo", "def zero(features")):
        (tmp_path / f"{module}.py").write_text(text)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("policy", "said"), FAULTS, ids=lambda word: word[:40])
def test_faults_are_said_once_and_leave_nothing_behind(policy: str, said: str, modules: Path, cli: Any) -> None:
    before = sorted(modules.rglob("*"))
    status, out, err = cli(*PLAY, "--policy", policy, "--out", "run")
    assert (status, out) == (2, "") and said in err and err.startswith("veggies-sim: policy") | ("unknown" in err), err
    assert "Traceback" not in err and len(err.splitlines()) == 1 and len(err) < 800
    assert sorted(modules.rglob("*")) == before


def test_sums_that_depend_on_the_other_rows_are_found() -> None:
    with pytest.raises(vs.InputError, match=r"score each move by its own row: .* not features @ weights"):
        vs.simulate(GAME, own_code.mixes, 200, seed=7, jobs=1)
    assert vs.simulate(GAME, own_code.adds, 200, seed=7, jobs=1).manifest.games == 200


@pytest.mark.parametrize("given", [lambda features, names: features[:, 0], own_code.fearless, own_code.Thing(), vs.Veggies, print])
def test_in_python_a_policy_is_a_function_with_a_name(given: Any) -> None:
    with pytest.raises(vs.InputError, match="give a function that is made with def"):
        vs.simulate(GAME, given, 2, seed=7)
    assert vs.simulate(GAME, "py:own_code:fearless", 2, seed=7).manifest.games == 2  # there it has one


def test_a_game_without_features_has_no_own_code() -> None:
    from toy_game import HighSum

    with pytest.raises(vs.InputError, match="high-sum has no features of moves"):
        vs.simulate(HighSum(3), own_code.zero, 2, seed=7)


def test_a_column_that_the_game_lacks_is_answered_with_those_it_has() -> None:
    def wants(features: Any, names: Any) -> Any:
        return dict(zip(names, features.T, strict=True))["sunshine"]

    with pytest.raises(vs.InputError, match=f"KeyError: 'sunshine'.*; features of veggies: {GAME.features[0].name}, "):
        vs.simulate(GAME, wants, 2, seed=7)


def test_a_dataset_is_not_lost_to_a_fault(modules: Path, cli: Any) -> None:
    vs.simulate(GAME, "random", 6, seed=7, out="run")
    held = vs.open_dataset("run").seats
    assert cli(*PLAY, "--policy", "py:own_code:raises", "--out", "run", "--replace")[0] == 2
    assert vs.open_dataset("run").seats.equals(held)


def test_a_late_fault_keeps_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"games": 3 * CHUNK, "seed": 7, "jobs": 1, "out": tmp_path / "run"}
    with pytest.raises(vs.InputError, match="py:own_code:soon stopped at turn 7: ValueError: not yet"):
        vs.simulate(GAME, own_code.soon, **run)
    held = vs.open_dataset(tmp_path / "run").manifest
    assert held.state == "failed" and 0 < held.games < held.games_requested
    monkeypatch.setattr(own_code, "broken", False)
    whole = vs.simulate(GAME, own_code.soon, **run, mode="resume")
    assert whole.seats.drop("policy").equals(vs.simulate(GAME, own_code.value, 3 * CHUNK, seed=7).seats.drop("policy"))


# ---- datasets name own code, and never run it by themselves


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("played") / "run"
    vs.simulate(GAME, [f"{name(own_code.careful)}:rat=2", "random", own_code.any_move], 6, seed=7, out=out)
    return out


AGAIN = ("--policy", "py:own_code:careful:rat=2", "--policy", "random", "--policy", "py:own_code:any_move")


def test_rerun_wants_the_same_own_code(played: Path, tmp_path: Path, cli: Any) -> None:
    assert cli("rerun", played, *AGAIN, "--out", tmp_path / "again")[0] == 0
    assert vs.open_dataset(tmp_path / "again").seats.equals(vs.open_dataset(played).seats)
    for words in ((), AGAIN[:2], (*AGAIN[:1], "py:own_code:careful:rat=3", *AGAIN[2:]), (*AGAIN[:4], "--policy", "greedy")):
        status, out, err = cli("rerun", played, *words, "--out", tmp_path / "other")
        assert (status, out) == (2, "") and " ".join(AGAIN) in err and not (tmp_path / "other").exists()
    vs.simulate(GAME, "random", 3, seed=7, out=tmp_path / "random")
    assert cli("rerun", tmp_path / "random", "--policy", "random")[0] == 0
    assert "other policies than greedy, greedy, greedy; " in cli("rerun", tmp_path / "random", "--policy", "greedy")[2]


def test_replay_wants_own_code_or_recorded_moves(played: Path, tmp_path: Path, cli: Any) -> None:
    status, _, err = cli("replay", played, "--game", 2)
    assert status == 2 and f"name all policies again: {' '.join(AGAIN)}\n" in err
    vs.simulate(GAME, [*AGAIN[1::2]], 6, seed=7, out=tmp_path / "moves", record="moves")
    texts = [cli("replay", played, "--game", 2, *AGAIN)[1], cli("replay", tmp_path / "moves", "--game", 2)[1]]
    assert texts[0] == texts[1] and "announces" in texts[0]
    run = vs.simulate(GAME, own_code.value, 2, seed=7)
    assert len(replay(run, 1, own_code.value)) == 25


def test_whole_numbers_of_older_datasets_are_read(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr("veggies_sim.core.policy.as_text", str)
        vs.simulate(GAME, "heuristic:value=2,rats=-1.5", 3, seed=7, out=tmp_path / "run")
    assert set(vs.open_dataset(tmp_path / "run").seats["policy"]) == {"heuristic:value=2.0,rats=-1.5"}
    assert cli("replay", tmp_path / "run", "--game", 1)[0] == cli("rerun", tmp_path / "run")[0] == 0
    assert set(vs.open_dataset(tmp_path / "run-rerun").seats["policy"]) == {"heuristic:value=2,rats=-1.5"}


def test_changed_own_code_is_noticed(modules: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--policy", "py:mine:choose", "--out", "run")
    for sign, games in (("", 3), ("-", 6)):
        monkeypatch.delitem(sys.modules, "mine", raising=False)
        (modules / "mine.py").write_text(f"def choose(features, names):\n    return {sign}features[:, 0]\n")
        status, _, err = cli("simulate", "--games", games, "--seed", 7, *words, *["--resume"] * (games > 3))
    assert status == 2 and "it is another run: the file of py:mine:choose has changed" in err
    assert "note: the file of py:mine:choose has changed" in cli("rerun", "run", "--policy", "py:mine:choose")[2]
    assert "or the function of a policy has changed" in cli("replay", "run", "--game", 1, "--policy", "py:mine:choose")[2]
    file = modules / "run" / "run.json"
    older = {key: value for key, value in json.loads(file.read_text()).items() if key != "own_code"}
    file.write_text(json.dumps(older))
    assert cli("simulate", "--games", 6, "--seed", 7, *words, "--resume")[0] == 0


def test_own_code_is_another_run_under_another_name(played: Path, cli: Any) -> None:
    assert cli("simulate", "--resume", "--out", played, "--games", 6, *AGAIN)[0] == 0
    assert "policies" in cli("simulate", "--resume", "--out", played, *AGAIN[:4], "--policy", name(own_code.best_value))[2]


def test_a_manifest_runs_no_code(played: Path, modules: Path, cli: Any) -> None:
    trap = "import pathlib\npathlib.Path('sprung').touch()\ndef zero(features, names): return features[:, 0]\n"
    (modules / "trap.py").write_text(trap)
    manifest = json.loads((played / "run.json").read_text())
    for at, policy in enumerate(("py:trap:zero", " py:trap:zero", "py:trap:zero:a=1")):
        vs.simulate(GAME, "random", 3, seed=7, out=f"run{at}")
        file = modules / f"run{at}" / "run.json"
        found = json.loads(file.read_text())
        file.write_text(json.dumps(found | {"policies": [policy, *manifest["policies"][1:]]}))
        more = {"info": (), "replay": ("--game", 0), "rerun": (), "export": ("--out", f"csv{at}"), "merge": ("--out", f"all{at}")}
        for command, words in more.items():
            assert "Traceback" not in cli(command, f"run{at}", *words)[2]
        assert cli("simulate", "--resume", "--games", 9, "--out", f"run{at}")[0] == 2
    assert not (modules / "sprung").exists()
    assert cli(*PLAY, "--policy", "py:trap:zero", "--out", "run")[0] == 0 and (modules / "sprung").exists()  # the door is open


def test_ladder_takes_own_code(cli: Any) -> None:
    status, out, err = cli("ladder", "--policy", name(own_code.careful), "--policy", "random", "--games", 60, "--seed", 7)
    assert status == 0 and "py:own_code:careful" in out, err


def test_words_of_own_code_say_where_it_comes_from() -> None:
    kind = own_kind(own_code.careful)
    assert (kind.name, kind.doc, kind.source) == (name(own_code.careful), "Fears rats.", "own code")
