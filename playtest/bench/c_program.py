"""A C program of the same algorithms, measured beside ours if its source is at hand.

It is compiled here, and `PROGRAM --bench` must print lines like these, whose other parts are not read:

    rollout: 1.6e+07 moves/s (61.7 ns/move), ...
    8 games per register (AVX-512) rollout: 5e+07 moves/s (20.1 ns/move), ...
    MCTS closed tree, UCB1 hard-coded        1e+06 it/s (1.01 us/it), ...
    MCTS open loop,   UCB1 hard-coded        1e+06 it/s (1.12 us/it), ...
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from playtest.bench.figures import BenchError

_MOVE = re.compile(r"^(?P<what>(?:8 games per register .*)?rollout): .*\((?P<time>[\d.]+) ns/move\)")
_ITERATION = re.compile(r"^MCTS (?P<what>.+?) +[\d.e+]+ it/s \((?P<time>[\d.]+) us/it\)")
COMPILE_SECONDS, RUN_SECONDS = 120, 600


@dataclass(frozen=True)
class CProgram:
    """A compiled program for boards of one size."""

    path: Path

    def measure(self) -> dict[str, float]:
        """Run it once: seconds a move and seconds an iteration by what it calls them. Raises BenchError."""
        try:
            done = subprocess.run(
                [self.path, "--bench"], capture_output=True, text=True, timeout=RUN_SECONDS, check=True
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise BenchError(f"The C program {self.path.name} does not run: {error}.") from None
        times = read_times(done.stdout)
        if not times:
            raise BenchError("The C program prints no line with ns/move or us/it after --bench.")
        return times


def compile_program(source: Path, folder: Path, *, rows: int, cols: int) -> CProgram:
    """Compile `source` by `gcc -O3 -march=native` into `folder`, for boards of that size; raises BenchError."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise BenchError("gcc is not on PATH, so the C program cannot be compiled.")
    if not source.is_file():
        raise BenchError(f"There is no file {source}.")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{source.stem}-{rows}x{cols}"
    words = ["-O3", "-march=native", f"-DROWS={rows}", f"-DCOLS={cols}", "-o", str(path), str(source), "-lm"]
    done = subprocess.run([compiler, *words], capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if "error" in line), "no reason given")
        raise BenchError(f"{source.name} does not compile: {said}")
    return CProgram(path)


def read_times(output: str) -> dict[str, float]:
    """Seconds by what the program calls them, one space for many."""
    times = {}
    for line in output.splitlines():
        for pattern, unit in ((_MOVE, 1e-9), (_ITERATION, 1e-6)):
            if found := pattern.match(line):
                times[" ".join(found["what"].split())] = float(found["time"]) * unit
    return times
