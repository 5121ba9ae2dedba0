"""A measured figure, the machine that it belongs to, and how the least of several times is taken."""

import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from engine.bmi2 import has_fast_pdep

Times = Mapping[str, float]
"""Seconds by what they were spent on."""


class BenchError(Exception):
    """A measurement that cannot be made; the text says why."""


@dataclass(frozen=True)
class Size:
    """How much is measured: `repeats` turns of every measurement, `share` of the usual work in each."""

    repeats: int = 5
    share: float = 1.0

    def of(self, usual: int) -> int:
        """That share of a usual number, at least 1."""
        return max(1, round(usual * self.share))


def load_average() -> list[float]:
    """Of the last 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


@dataclass(frozen=True)
class Figure:
    """One value. `facts` says under which conditions it holds; `load` is the machine's when the figure was made."""

    bench: str
    what: str
    unit: str
    value: float
    facts: Mapping[str, Any] = field(default_factory=dict)
    load: list[float] = field(default_factory=load_average)

    def to_json(self) -> dict[str, Any]:
        """The line of `manage.py bench --json`."""
        detail = {"what": self.what, **self.facts, "load": self.load, **machine()}
        return {"bench": self.bench, "unit": self.unit, "value": rounded(self.value), "detail": detail}


def rounded(value: float) -> float:
    """Four digits that count; nobody measures more."""
    return float(f"{value:.4g}")


@cache
def machine() -> dict[str, Any]:
    """What a figure depends on beside the program."""
    return {
        "processor": processor(),
        "cores": cores(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "path": "pext and pdep" if has_fast_pdep() else "portable",
    }


def processor(info: Path = Path("/proc/cpuinfo")) -> str:
    """The processor by its name, as far as the system tells."""
    try:
        lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu_seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, of all threads together."""
    began = time.process_time()
    work()
    return time.process_time() - began


def wall_seconds(work: Callable[[], object]) -> float:
    """Time on the clock of one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def best_by_turns(measurements: Sequence[Callable[[], Times]], size: Size) -> dict[str, float]:
    """The least of each time. Everything is measured once a turn, so that what disturbs one disturbs the others too."""
    best: dict[str, float] = {}
    for turn in range(size.repeats):
        for measure in measurements:
            for name, seconds in measure().items():
                best[name] = min(seconds, best.get(name, seconds))
        report(f"turn {turn + 1} of {size.repeats}")
    return best


def report(text: str) -> None:
    """Progress, for people who wait: never on standard output."""
    sys.stderr.write(f"bench: {text}\n")
    sys.stderr.flush()
