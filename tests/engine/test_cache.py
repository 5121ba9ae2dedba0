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
import json, time
from numba.core import event
compiled = event.RecordingListener()
event.register("numba:compile", compiled)
"""
SAY = """
from numba.core.registry import CPUDispatcher
import gc
kernels = [found for found in gc.get_objects() if isinstance(found, CPUDispatcher)]
kernels = [kernel for kernel in kernels if kernel.__module__.startswith("engine")]
hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels)
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels)
print(json.dumps({"compiled": len(compiled.buffer), "kernels": len(kernels), "hits": hits, "misses": misses, **more}))
"""


def run(program: str, **environment: str) -> dict:
    """The JSON object that a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
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
    said = run(f"{COUNT_COMPILED}\nimport {', '.join(modules)}\nmore = {{}}\n{SAY}")
    assert said["kernels"] > 50
    assert (said["compiled"], said["hits"], said["misses"]) == (0, 0, 0)


WARM = f"""{COUNT_COMPILED}
import engine
from engine.level import shipped_levels
from engine.round import Round
started = time.process_time()
engine.warm_up()
for level in shipped_levels().values():
    played = Round(level)
    while played.over is None:
        played.play(played.legal_actions()[0])
    played.drops_fallen()
more = {{"seconds": time.process_time() - started}}
{SAY}"""


def test_a_second_process_warms_up_and_plays_without_compiling_in_under_two_seconds():
    run(WARM)
    said = run(WARM)
    assert (said["compiled"], said["misses"]) == (0, 0)
    assert said["hits"] > 10
    assert said["seconds"] < 2


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
