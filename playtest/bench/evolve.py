"""Evolution: one generation, its evaluation and the breeding of the next apart, and the memory of who computes it.

A generation is computed in a process of its own that loads what a worker loads, so that its memory means something.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from personas.evolution import RunConfig, evaluate, first_population, next_generation
from playtest.bench.figures import BenchError, Figure, Size, Times, best_by_turns, cores, report, wall_seconds

NAME = "evolve"
FULL = {"population": 100, "games": 50, "moves": 20, "iterations": 250}
"""The paper's generation."""
SMALL = {"population": 20, "games": 10, "moves": 20, "iterations": 100}
TINY = {"population": 5, "games": 2, "moves": 5, "iterations": 20}
"""To see that it runs."""
CHILD_SECONDS = 7200


def generation(sizes: dict[str, int], threads: int) -> Callable[[], Times]:
    """Measures a generation of that size in a new process: seconds on the clock, and memory in bytes."""
    command = [sys.executable, "-m", "playtest.bench.evolve", json.dumps({**sizes, "threads": threads})]

    def measure() -> Times:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=CHILD_SECONDS, check=True)
        except subprocess.SubprocessError as error:
            raise BenchError(f"The generation cannot be computed: {error}.") from None
        return dict(json.loads(done.stdout))

    return measure


def measure(size: Size, *, full: bool) -> Iterator[Figure]:
    """The figures of one generation of the paper's size or of a small one; the large one is computed once."""
    sizes = FULL if full else SMALL if size.share == 1.0 else TINY
    threads = cores()
    report(f"evolution, a generation of {sizes}")
    best = best_by_turns([generation(sizes, threads)], Size(1) if full else size)
    facts = {**sizes, "threads": threads, "clock": "wall"}
    iterations = sizes["population"] * sizes["games"] * sizes["moves"] * sizes["iterations"]
    shape = " x ".join(str(sizes[name]) for name in ("population", "games", "moves", "iterations"))
    yield Figure(NAME, f"one generation, {shape}: evaluation", "s", best["evaluation"], facts)
    yield Figure(NAME, f"one generation, {shape}: iterations", "iterations/s", iterations / best["evaluation"], facts)
    yield Figure(NAME, f"one generation, {shape}: breeding the next", "s", best["breeding"], facts)
    yield Figure(NAME, "memory of a worker with all kernels loaded", "MB", best["loaded"] / 1e6, facts)
    yield Figure(NAME, f"most memory of a worker, {shape}", "MB", best["peak"] / 1e6, facts)


def memory(name: str) -> int:
    """Bytes of this process by the system's name: VmRSS what it has now, VmHWM the most that it had."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None, f"the system does not tell {name}"
    return 1024 * int(found[1])


def forget_most_memory() -> None:
    """Let VmHWM count from now on: loading the kernels may have needed more than the work will."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def main() -> None:
    """Compute a generation as a worker does: what `generation` starts."""
    import django

    import playtest.celery  # noqa: F401 - what a worker loads
    from personas import warm_up

    django.setup()
    warm_up()
    sizes = json.loads(sys.argv[1])
    threads = sizes.pop("threads")
    forget_most_memory()
    loaded = memory("VmRSS")
    config = RunConfig(persona="maxs", seed=1, preset="replication", **sizes)
    first = first_population(config)
    fitness = []
    times: dict[str, float] = {}
    times["evaluation"] = wall_seconds(
        lambda: fitness.extend(evaluate(config, first, range(config.population), threads=threads))
    )
    evaluated = first.with_fitness(fitness)
    times["breeding"] = wall_seconds(lambda: next_generation(config, evaluated))
    sys.stdout.write(json.dumps({**times, "loaded": loaded, "peak": memory("VmHWM")}))


if __name__ == "__main__":
    main()
