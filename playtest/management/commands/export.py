"""Write a study's data: every table in the formats wanted, with codebook, manifest and the study itself."""

import os
import signal
import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from django.db import DatabaseError

from playtest.accounts.models import User
from playtest.management.plain import Error, PlainCommand, named_path, progress_bar, shortened
from playtest.studies.choices import Status
from playtest.studies.export.archive import TargetError, check_target, export_folder, export_zip
from playtest.studies.export.options import EXPORTED_KINDS, FORMATS, ExportOptions, Selection
from playtest.studies.models import Study
from playtest.studies.selectors.studies import study_by_name, version_numbers
from playtest.studies.services.exports import export_note

Value = TypeVar("Value")
KINDS = {str(kind.label): kind for kind in EXPORTED_KINDS}
STATUSES = {str(status.label): status for status in Status if status != Status.WITHDRAWN}
TERMINATED = 143
BEHIND_PLAYERS = 10


class Command(PlainCommand):
    help = "Write the data of a study as files. Previews and what people took back are not in it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="short name or public id, such as paper")
        target = parser.add_mutually_exclusive_group(required=True)
        target.add_argument(
            "--out", type=named_path, metavar="DIR", help="folder to make, or an earlier export to replace"
        )
        target.add_argument("--zip", action="store_true", help="write one ZIP to standard output")
        parser.add_argument(
            "--format",
            type=several(dict(zip(FORMATS, FORMATS, strict=True)).__getitem__, "format", FORMATS),
            default=FORMATS,
            metavar="NAMES",
            help=f"of {', '.join(FORMATS)} (all)",
        )
        parser.add_argument("--anonymous", action="store_true", help="random ids, no free text, no times of day")
        parser.add_argument(
            "--kind",
            type=several(KINDS.__getitem__, "kind", KINDS),
            default=EXPORTED_KINDS,
            metavar="NAMES",
            help=f"of {', '.join(KINDS)} (all)",
        )
        parser.add_argument(
            "--status",
            type=several(STATUSES.__getitem__, "status", STATUSES),
            default=(),
            metavar="NAMES",
            help=f"of {', '.join(STATUSES)} (all)",
        )
        parser.add_argument(
            "--study-version", type=several(int, "version", ()), default=(), metavar="NUMBERS", help="(all)"
        )
        # Who pressed the button on the study's page.
        parser.add_argument("--actor", type=int, help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
        try:
            self.export(options)
        finally:
            signal.signal(signal.SIGTERM, before)

    def export(self, options: dict[str, Any]) -> None:
        if options["zip"] and sys.stdout.isatty():
            raise Error("--zip writes to standard output, which is a terminal: send it to a file.")
        try:
            if options["out"] is not None:
                check_target(options["out"].resolve())
            study = self.read_study(options["study"], options["study_version"])
            wanted = ExportOptions(
                formats=options["format"],
                anonymous=options["anonymous"],
                selection=Selection(options["kind"], options["study_version"], options["status"]),
            )
            self.note(study, wanted, options["actor"])
            with self.quiet_end("Nothing was written."):
                try:
                    self.write(study, wanted, options["out"])
                except BrokenPipeError:
                    raise
                except OSError as error:
                    raise Error(f"The export cannot be written: {error.strerror or error}.") from None
        except TargetError as error:
            raise Error(str(error)) from None
        except DatabaseError as error:
            raise Error(f"The database cannot be read ({error}). Start the site first.") from None

    def read_study(self, name: str, versions: tuple[int, ...]) -> Study:
        study = study_by_name(name)
        if study is None or study.published_id is None:
            raise Error(f"There is no published study {shortened(name)}.")
        known = version_numbers(study=study)
        if unknown := [number for number in versions if number not in known]:
            raise Error(f"The study has no version {unknown[0]}; it has {', '.join(map(str, known))}.")
        return study

    def note(self, study: Study, wanted: ExportOptions, actor: int | None) -> None:
        if actor is not None:
            os.nice(BEHIND_PLAYERS)
        by = None if actor is None else User.objects.get(pk=actor)
        export_note(study=study, by=by, options=wanted.to_json())

    def write(self, study: Study, wanted: ExportOptions, out: Path | None) -> None:
        with progress_bar(0, "participant") as bar:

            def progress(done: int, of: int) -> None:
                bar.total = of
                bar.update(done - bar.n)

            if out is None:
                export_zip(study, wanted, sys.stdout.buffer, name=study.slug, progress=progress)
            else:
                export_folder(study, wanted, out, progress)
        if out is not None:
            self.stdout.write(f"{study.title}: written to {out}")


def several(read: Callable[[str], Value], noun: str, known: Any) -> Callable[[str], tuple[Value, ...]]:
    """An argparse type: names separated by commas, each once."""

    def read_all(text: str) -> tuple[Value, ...]:
        found: list[Value] = []
        for part in (part.strip() for part in text.split(",")):
            try:
                value = read(part)
            except (KeyError, ValueError):
                of = f", only {', '.join(known)}" if known else ""
                raise ArgumentTypeError(f"there is no {noun} {shortened(part)!r}{of}") from None
            if value in found:
                raise ArgumentTypeError(f"names the {noun} {shortened(part)!r} twice")
            found.append(value)
        return tuple(found)

    return read_all
