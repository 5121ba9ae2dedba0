"""Measure how fast the engine, the search, evolution and the site are on this machine."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from playtest.bench import evolve, match3, samegame, search
from playtest.bench.c_program import CProgram, compile_program
from playtest.bench.figures import BenchError, Figure, Size, rounded
from playtest.bench.table import place_in, write_table
from playtest.commit import code_commit
from playtest.management.plain import Error, PlainCommand, check_writable, whole_number

BENCHES = ("match3", "samegame", "search", "evolve", "site")
USUAL = BENCHES[:-1]
C_SIZES = (7, 8)
QUICK = 0.02


class Command(PlainCommand):
    help = "Measure how fast the engine, the search, evolution and, if it is named, the site are on this machine."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("benches", nargs="*", metavar="BENCH", help=f"{', '.join(BENCHES)} (all but site)")
        parser.add_argument("--repeats", type=whole_number(1, 100), default=5, metavar="N", help="take the best of (5)")
        parser.add_argument("--quick", action="store_true", help="a fiftieth of the work: to see that it runs")
        parser.add_argument("--m3c", type=Path, metavar="m3.c", help="compile this C program and measure it beside")
        parser.add_argument("--full", action="store_true", help="evolve: a generation of the paper's size")
        parser.add_argument("--clients", type=whole_number(1, 5000), default=500, metavar="N", help="site: (500)")
        parser.add_argument("--seconds", type=whole_number(1, 3600), default=20, metavar="N", help="site: (20)")
        parser.add_argument("--write", type=Path, metavar="FILE.md", help="put a table between the marks in this file")
        parser.add_argument("--json", action="store_true", help="one JSON line a figure")

    def handle(self, *args: Any, **options: Any) -> None:
        for name in options["benches"]:
            if name not in BENCHES:
                raise Error(f'There is no bench "{name}"; there are {", ".join(BENCHES)}.')
        figures = []
        # Of the code that is measured, whatever the files become meanwhile.
        commit = code_commit()
        try:
            if options["write"] is not None:
                check_writable(options["write"])
                place_in(options["write"])
            with self.quiet_end():
                for figure in self.measure(options["benches"] or USUAL, options):
                    figures.append(figure)
                    self.tell(figure, as_json=options["json"])
            if options["write"] is not None:
                write_table(options["write"], figures, commit=commit)
        except BenchError as error:
            raise Error(str(error)) from None

    def measure(self, names: list[str] | tuple[str, ...], options: dict[str, Any]) -> Iterator[Figure]:
        """All figures of the benches named, in the usual order."""
        size = Size(options["repeats"], QUICK if options["quick"] else 1.0)
        programs: dict[int, CProgram] = {}
        if options["m3c"] is not None:
            folder = settings.VAR / "bench"
            programs = {side: compile_program(options["m3c"], folder, rows=side, cols=side) for side in C_SIZES}
        if "match3" in names:
            yield from match3.measure(size, programs)
        if "samegame" in names:
            yield from samegame.measure(size)
        if "search" in names:
            yield from search.measure(size, programs.get(search.SIDE))
        if "evolve" in names:
            yield from evolve.measure(size, full=options["full"])
        if "site" in names:
            # It alone reads the models of the site.
            from playtest.bench import site

            yield from site.measure(options["clients"], options["seconds"])

    def tell(self, figure: Figure, *, as_json: bool) -> None:
        if as_json:
            self.write_json(figure.to_json())
            return
        self.stdout.write(f"{figure.bench:9} {figure.what:75} {rounded(figure.value):>12,.6g} {figure.unit}")
        self.stdout.flush()
