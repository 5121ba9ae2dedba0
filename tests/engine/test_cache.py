"""Kernels are compiled once for each state of the source, served to every later process, and never stale."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from engine import cache

ROOT = Path(cache.__file__).resolve().parent.parent

COUNT_COMPILED = """
import json
from numba.core import event
compiled = event.RecordingListener()
event.register("numba:compile", compiled)
"""
SAY = """
from numba.core.registry import CPUDispatcher
import gc
def kernels():
    found = (one for one in gc.get_objects() if isinstance(one, CPUDispatcher))
    return [one for one in found if one.__module__.startswith("engine")]
def loaded():
    return sum(sum(one.stats.cache_hits.values()) for one in kernels())
def missed():
    return sum(sum(one.stats.cache_misses.values()) for one in kernels())
"""
END = """
counts = {"compiled": len(compiled.buffer), "kernels": len(kernels()), "hits": loaded(), "misses": missed()}
print(json.dumps({**counts, **more}))
"""


def run(program: str, *arguments: str, **environment: str) -> dict:
    """The JSON object that a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return json.loads(done.stdout)


def test_importing_the_engine_and_reading_levels_declares_kernels_and_compiles_none():
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "engine").rglob("*.py"))
        if path.name != "__init__.py"
    ]
    assert "engine.games.match3.small" in modules
    said = run(f"{COUNT_COMPILED}{SAY}\nimport {', '.join(modules)}\nmore = {{}}\n{END}")
    assert said["kernels"] > 50
    assert (said["compiled"], said["hits"], said["misses"]) == (0, 0, 0)


PLAY = """
def play(levels):
    for level in levels:
        played = Round(level)
        while played.over is None:
            played.play(played.legal_actions()[0])
        played.drops_fallen()
"""
WARM = f"""{COUNT_COMPILED}{SAY}{PLAY}
import engine
from engine.level import shipped_levels
from engine.round import Round
levels = shipped_levels().values()
engine.warm_up()
before = loaded()
play(levels)
more = {{"after_warming": loaded() - before}}
{END}"""


def test_a_second_process_compiles_nothing_and_its_games_load_nothing_that_was_not_warmed():
    run(WARM)
    said = run(WARM)
    assert (said["compiled"], said["misses"]) == (0, 0)
    assert said["hits"] > 10
    assert said["after_warming"] == 0


FIRST_GAME = f"""{COUNT_COMPILED}{SAY}{PLAY}
import sys
import engine.round
from engine.level import shipped_levels
from engine.round import Round
level = shipped_levels(sys.argv[1])[sys.argv[2]]
before = loaded()
play([level])
more = {{"loaded": loaded() - before}}
{END}"""


@pytest.mark.parametrize(("game", "slug"), [("match3", "board-1"), ("samegame", "samegame-01")])
def test_first_game_of_a_process_compiles_nothing_and_loads_few_kernels(game: str, slug: str):
    """What a round needs of its own game and size, no search and no other size. How long that takes `bench` tells."""
    run(FIRST_GAME, game, slug)
    said = run(FIRST_GAME, game, slug)
    assert (said["compiled"], said["misses"]) == (0, 0)
    assert 0 < said["loaded"] <= 8


AGENTS = f"""{COUNT_COMPILED}{SAY}
from engine.level import draw_level
from personas import warm_up
from personas.agent import agent_names, load_agent
warm_up()
before = loaded()
for game in ("match3", "samegame"):
    level = draw_level(game, rows=7, cols=7, seed=3)
    for name in agent_names(game):
        load_agent(name, game=game, iterations=5).play_games([level, level], [1, 2])
more = {{"after_warming": loaded() - before}}
{END}"""


def test_agents_of_a_warmed_second_process_compile_and_load_nothing():
    run(AGENTS)
    said = run(AGENTS)
    assert (said["compiled"], said["misses"], said["after_warming"]) == (0, 0, 0)
    assert said["hits"] > 10


def test_portable_kernels_have_a_folder_of_their_own():
    program = "import engine, numba, json; print(json.dumps({'folder': numba.config.CACHE_DIR}))"
    folders = {run(program, TESSERA_PORTABLE=value)["folder"] for value in ("", "1")}
    assert len(folders) == 2


@pytest.fixture
def restored_folder():
    before = numba.config.CACHE_DIR
    yield
    numba.config.CACHE_DIR = before


def test_the_digest_follows_every_source_file(tmp_path, monkeypatch):
    (tmp_path / "games").mkdir()
    (tmp_path / "rng.py").write_text("A = 1\n")
    inner = tmp_path / "games" / "rules.py"
    inner.write_text("B = 1\n")
    monkeypatch.setattr(cache, "ENGINE_ROOT", tmp_path)
    first = cache.source_digest()
    inner.write_text("B = 2\n")
    second = cache.source_digest()
    inner.rename(tmp_path / "games" / "other.py")
    third = cache.source_digest()
    assert len({first, second, third}) == 3
    (tmp_path / "games" / "other.py").rename(inner)
    inner.write_text("B = 1\n")
    assert cache.source_digest() == first


def test_a_set_cache_folder_is_the_parent_of_the_digest_folder(tmp_path, monkeypatch, restored_folder):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    folder = cache.use_digest_folder()
    assert folder == tmp_path / "kernels" / cache.source_digest()[:16]
    assert str(folder) == numba.config.CACHE_DIR
    assert folder.is_dir()


def test_without_a_repository_the_cache_is_the_users(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "ENGINE_ROOT", tmp_path / "site-packages" / "engine")
    assert cache.parent_folder() == tmp_path / "tessera" / "numba"


def test_where_nothing_can_be_written_kernels_go_to_a_private_folder(tmp_path, monkeypatch, restored_folder):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    folder = cache.use_digest_folder()
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert str(folder) == numba.config.CACHE_DIR


def make_folder(parent: Path, digit: str, used: int) -> Path:
    folder = parent / (digit * 16)
    folder.mkdir()
    (folder / "kernel.nbc").write_bytes(b"x")
    lock = folder / "in-use.lock"
    lock.touch()
    os.utime(lock, (used, used))
    return folder


def test_old_folders_go_but_not_the_latest_nor_those_in_use_nor_what_is_not_ours(tmp_path):
    folders = {digit: make_folder(tmp_path, digit, used) for used, digit in enumerate("0123456", start=1000)}
    other = tmp_path / "notes"
    other.mkdir()
    half_gone = tmp_path / f"{'a' * 16}.old-1"
    half_gone.mkdir()
    program = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from engine import cache
cache._hold(Path({str(folders["1"])!r}))
print("held", flush=True)
sys.stdin.read()
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    with holder:
        assert holder.stdout.readline() == "held\n"
        # Holding counts as use; give the folder its old age back.
        os.utime(folders["1"] / "in-use.lock", (1001, 1001))
        removed = cache.remove_old_folders(tmp_path, keep=folders["0"], kept=2)
        assert sorted(removed) == [folders["2"], folders["3"], folders["4"]]
        assert {path.name[0] for path in tmp_path.iterdir()} == {"0", "1", "5", "6", "n"}
        holder.stdin.close()
    assert cache.remove_old_folders(tmp_path, keep=folders["0"], kept=2) == [folders["1"]]


def test_the_engine_pulls_in_none_of_its_users():
    program = """
import json, sys
import engine, engine.round, engine.search.play, engine.formula
engine.level.shipped_levels()
roots = {name.partition(".")[0] for name in sys.modules}
print(json.dumps({"found": sorted(roots & {"django", "deap", "sympy", "personas", "playtest", "celery", "channels"})}))
"""
    assert run(program)["found"] == []
