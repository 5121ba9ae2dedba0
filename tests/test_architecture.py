"""Who may know whom, how long files are, and how kernels are compiled."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "personas", "playtest")
LONGEST = {"code": 400, "test": 600, "script": 300}
"""Lines of a Python file, of a file of tests, of a JavaScript file."""

INNER = {"services", "selectors", "models"}
OUTER = {"views", "tasks", "consumers", "management", "urls", "urls_staff"}


def python_files(*folders: str) -> list[Path]:
    return [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not {"migrations", "node_modules"} & set(path.parts)
    ]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Every module that is named in an import, also inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_imports_go_one_way() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_services_and_selectors_know_no_view_task_or_command() -> None:
    wrong = []
    for path in python_files("playtest"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if not INNER & set(parts):
            continue
        for module in imported_modules(ast.parse(path.read_text(encoding="utf-8"))):
            if module.startswith("playtest.") and OUTER & set(module.split(".")):
                wrong.append(f"{name_of(path)} imports {module}")
    assert not wrong


def test_only_live_and_consumers_touch_the_channel_layer() -> None:
    touching = {
        name_of(path)
        for path in python_files("playtest")
        if "channels.layers" in set(imported_modules(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert touching <= {"playtest/live.py"}


def test_nothing_draws_from_a_global_generator() -> None:
    """Every stream is seeded by name; `random` and `numpy.random` as modules would be shared state."""
    wrong = []
    for path in python_files(*PACKAGES):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func.value) in {"random", "np.random", "numpy.random"}
                and node.func.attr not in {"Random", "Generator", "default_rng", "SystemRandom"}
            ):
                wrong.append(f"{name_of(path)}:{node.lineno} {ast.unparse(node.func)}")
    assert not wrong


def test_every_kernel_is_cached_and_gives_up_the_lock() -> None:
    """`njit` is called where the decorators are made, with both options said, and nowhere bare."""
    calls, bare = [], []
    for path in python_files("engine", "personas"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"njit", "jit", "numba.njit", "numba.jit"}:
                options = {word.arg: ast.unparse(word.value) for word in node.keywords}
                calls.append((f"{name_of(path)}:{node.lineno}", options))
            elif isinstance(node, ast.Name) and node.id in {"njit", "jit"} and id(node) not in called:
                bare.append(f"{name_of(path)}:{node.lineno}")
    assert calls
    assert not bare
    for place, options in calls:
        assert options.get("cache") == "True", place
        assert options.get("nogil") == "True", place
        assert "parallel" not in options, f"{place}: a fork after OpenMP aborts"
        assert "fastmath" not in options, place


def test_files_stay_short() -> None:
    long = [
        f"{name_of(path)}: {lines_of(path)}" for path in python_files(*PACKAGES) if lines_of(path) > LONGEST["code"]
    ]
    long += [f"{name_of(path)}: {lines_of(path)}" for path in python_files("tests") if lines_of(path) > LONGEST["test"]]
    scripts = sorted((ROOT / "static" / "js").rglob("*.js"))
    long += [f"{name_of(path)}: {lines_of(path)}" for path in scripts if lines_of(path) > LONGEST["script"]]
    assert not long


def test_templates_hold_no_inline_script_or_style() -> None:
    """The strict policy would silently drop them."""
    wrong = []
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            words = line.lower()
            has_inline_script = "<script" in words and "src=" not in words and "application/json" not in words
            if has_inline_script or "<style" in words or " style=" in words or " onclick=" in words:
                wrong.append(f"{name_of(path)}:{number}")
    assert not wrong


def test_no_file_names_this_machine_or_a_registry() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    wrong = []
    for name in tracked.decode().split("\0"):
        path = ROOT / name
        if path == Path(__file__) or not path.is_file() or path.suffix in {".png", ".svg", ".pdf", ".ico"}:
            continue
        text = path.read_bytes()
        for mark in (b"/home/", b"/root/", f"{ROOT}/".encode(), b".org/simple", b"//registry."):
            if mark in text:
                wrong.append(f"{name}: {mark.decode()}")
    assert not wrong
