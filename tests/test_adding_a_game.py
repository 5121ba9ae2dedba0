"""docs/adding-a-game.md works: its blocks, put where they say, are a game that every agent plays.

The game is built in a process of its own, which keeps its kernels in a folder of its own: compiled searches remember
the types that they were compiled for, and no other process could read those of a game that is not there.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cache import parent_folder

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "adding-a-game.md"
BLOCK = re.compile(r"^```python\n# (\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Where the page says `engine/games/__init__.py` it shows the registry as it is then; all other files are new.
PROGRAM = r"""
import json, sys
from pathlib import Path

folder, root = map(Path, sys.argv[1:])
sys.path.insert(0, str(root))
import engine.games
import tests.engine
import tests.engine.naive

registry = {}
exec((folder / "engine/games/__init__.py").read_text(), registry)
before = dict(engine.games.MODULES)
assert registry["MODULES"] == {**before, "stacks": "engine.games.stacks"}, registry["MODULES"]
engine.games.MODULES.update(registry["MODULES"])
for package, place in (
    (engine.games, "engine/games"), (tests.engine, "tests/engine"), (tests.engine.naive, "tests/engine/naive")
):
    package.__path__.append(str(folder / place))

import tests.engine.test_stacks_twin as page_tests

for name, test in vars(page_tests).items():
    if name.startswith("test_"):
        test()

import numpy as np
from engine.game import Game, copy_state, games, get_game
from engine.level import LevelError, draw_level, parse_level
from engine.round import ActionRefused, Round
from personas.agent import agent_names, load_agent
from personas.agents.tree_search import SearchAgent
from personas.evolution import RunConfig, evaluate, first_population
from personas.persona import Persona, SearchSettings
from personas.report import playtest
import engine, personas

assert isinstance(games()["stacks"], Game)
GAME = get_game("stacks")
level = draw_level("stacks", rows=8, cols=6, colours=3, moves=12, seed=5)
assert parse_level(json.loads(json.dumps(level.to_document()))) == level
for wrong in ({"seed": 1, "rows": 2, "cols": 2, "board": ["AB", "BA"]}, {"seed": 1, "rows": 20, "cols": 2}):
    try:
        parse_level({"game": "stacks", **wrong})
    except LevelError:
        continue
    raise AssertionError(wrong)

# A state and its copy are apart; actions and codes are two names of the same.
state = GAME.new_state(level)
other = copy_state(state)
other.words[:] = 0
assert state.words.any()
for code in Round(level).legal_codes():
    assert GAME.encode_action(level, GAME.decode_action(level, code)) == code < GAME.code_limit(level)

# The example that the page draws.
drawn = parse_level({
    "game": "stacks", "rows": 4, "cols": 3, "seed": 1, "board": ["BAC", "ABA", "BBC", "BAA"],
})
played = Round(drawn)
outcome = played.play([2, 1])
assert (outcome.gained, outcome.board) == (4, ["B.C", "A.A", "BAC", "BAA"]), outcome
assert outcome.frames[1] == {"f": "fall", "moves": [[0, 1, 2, 1]]}, outcome.frames
numbers, worth = played.groups()
assert numbers == [[0, 0, 0], [0, 0, 0], [1, 2, 0], [1, 2, 0]] and worth == [0, 4, 4], (numbers, worth)
for action, reason in (([2, 1], "illegal"), ([9, 9], "off_board"), ([True, 1], "bad_action"), ("x", "bad_action")):
    try:
        played.play(action)
    except ActionRefused as refused:
        assert refused.reason == reason
    else:
        raise AssertionError(action)


def searcher(kind, formula, tree):
    search = SearchSettings(tree=tree, reward="graded", scale=100.0, iterations=100)
    name = f"{kind} {tree}"
    return SearchAgent(Persona(kind, name, "stacks", 1, "maxs", search=search, formula=formula))


FORMULA = "add(div(wins, visits), mul(0.7, sqrt(div(parent_visits, add(visits, div(1, legal_moves))))))"
agents = {name: load_agent(name, game="stacks") for name in agent_names("stacks")}
assert set(agents) == {"random", "greedy"}
for kind, formula in (("mcts", ""), ("formula", FORMULA)):
    for tree in ("closed", "open"):
        agents[f"{kind} {tree}"] = searcher(kind, formula, tree)
report = playtest(level, agents, games=20, seed=1, threads=2)
again = playtest(level, agents, games=20, seed=1)
means = {}
for name, result in report.results.items():
    assert result.traces == again.results[name].traces, name
    means[name] = float(np.mean(result.scores))
    for trace in result.traces:
        replayed = Round.replay(level, trace.codes)
        assert replayed.score == trace.score and replayed.over is not None, name
        assert replayed.legal_total == sum(trace.legal_before), name
    first = Round(level)
    assert agents[name].choose(first, result.traces[0].seed) == GAME.decode_action(level, result.traces[0].codes[0])
best_of_chance = max(means["random"], means["greedy"])
assert all(means[name] > best_of_chance for name in means if " " in name), means

config = RunConfig(
    persona="maxs", game="stacks", seed=1, population=4, games=2, iterations=10, level=level.to_document()
)
assert all(fitness.value > 0 for fitness in evaluate(config, first_population(config), range(4)))
# Warming up takes what the registry has: this game alone, the others need not be compiled once more.
for name in before:
    del engine.games.MODULES[name]
engine.warm_up()
personas.warm_up()
print(json.dumps(means))
"""


def blocks() -> dict[str, str]:
    """The files of the page by path; the first line names the path and belongs to none of them."""
    return dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))


def test_game_of_the_page_is_played_by_every_agent(tmp_path: Path) -> None:
    files = blocks()
    assert len(files) == 7
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path, ROOT],
        env={**os.environ, "NUMBA_CACHE_DIR": str(kernel_folder(files))},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def kernel_folder(files: dict[str, str]) -> Path:
    """Where the kernels of this state of the page are kept for the next run; those of other states go."""
    folder = parent_folder() / "adding-a-game" / hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    if folder.parent.is_dir():
        for other in folder.parent.iterdir():
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_files_of_the_page_are_in_the_style_of_the_house(tmp_path: Path) -> None:
    for name, text in blocks().items():
        if name == "engine/games/__init__.py":
            continue
        path = tmp_path / Path(name).name
        path.write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "ruff", "--config", str(ROOT / "pyproject.toml")]
        ignored = ["--ignore", "S101,INP001,I001"]
        done = subprocess.run(
            [*words[:3], "check", *words[3:], *ignored, path], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{name}: {done.stdout}"
