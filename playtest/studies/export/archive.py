"""Where an export goes: a folder that is there whole or not at all, or a ZIP that streams while rows are read."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from playtest.studies.export.options import ExportOptions
from playtest.studies.export.run import MANIFEST, ExportRun
from playtest.studies.export.workplace import working_folder
from playtest.studies.models import Study
from playtest.studies.selectors.exports import one_picture

Progress = Callable[[int, int], None]
"""Told how many participants are done, of how many."""

CHUNK = 256 * 1024
LARGEST_MANIFEST = 10_000_000


class TargetError(ValueError):
    """A folder that an export cannot become, in a sentence."""


def export_folder(study: Study, options: ExportOptions, target: Path, progress: Progress) -> None:
    """Write an export as the folder `target`, which is absent, empty, or an earlier export that is replaced.

    Raises TargetError before anything is read. Whatever happens, the folder is the old one or the new one, whole.
    """
    target = target.resolve()
    check_target(target)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    partial.mkdir(parents=True)
    try:
        with one_picture():
            run = ExportRun(study, options, partial)
            try:
                run.begin()
                for done in run.steps():
                    progress(done, len(run.keys))
                run.finish()
            finally:
                run.close()
        replace_folder(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def check_target(target: Path) -> None:
    """Raise TargetError unless an export may become this folder."""
    try:
        if target.exists() and not target.is_dir():
            raise TargetError(f"{target} is there and no folder.")
        if target.is_dir() and not is_replaceable(target):
            raise TargetError(f"{target} is not empty and holds more than an earlier export. Name another folder.")
        place = next(folder for folder in target.parents if folder.exists())
    except OSError as error:
        raise TargetError(f"{shown(target)} cannot be used: {error.strerror or error}.") from None
    if not place.is_dir():
        raise TargetError(f"{place} is no folder.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise TargetError(f"The folder {place} cannot be written to.")


def is_replaceable(folder: Path) -> bool:
    """Whether a folder is empty, or holds an export and nothing else: nobody's own files are ever removed."""
    names = {path.name for path in folder.iterdir()}
    if not names:
        return True
    manifest = folder / MANIFEST
    if MANIFEST not in names or not manifest.is_file() or manifest.stat().st_size > LARGEST_MANIFEST:
        return False
    try:
        said = json.loads(manifest.read_text("utf-8"))
        listed = {file["name"] for file in said["files"]}
        return bool(said["made_by"]["program"] == "Tessera" and names <= {MANIFEST, *listed})
    except (ValueError, KeyError, TypeError):
        return False


def replace_folder(partial: Path, target: Path) -> None:
    """Put `partial` in the place of `target`, which is absent, empty or an earlier export."""
    if not target.exists():
        partial.rename(target)
        return
    earlier = target.with_name(f".{target.name}.{os.getpid()}.old")
    target.rename(earlier)
    try:
        partial.rename(target)
    except OSError:
        earlier.rename(target)
        raise
    shutil.rmtree(earlier, ignore_errors=True)


def export_zip(study: Study, options: ExportOptions, stream: IO[bytes], *, name: str, progress: Progress) -> None:
    """Write an export as a ZIP to a stream that need not seek. The files lie in a folder `name` in it.

    The largest file goes out while its rows are read, so that something comes all the time; the others wait on disk.
    """
    with working_folder() as folder, one_picture(), ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        run = ExportRun(study, options, folder)
        try:
            for file in run.begin():
                put(archive, folder / file.name, name)
            live = folder / run.live_name
            with archive.open(zip_entry(live, name), "w", force_zip64=True) as entry, live.open("rb") as source:
                for done in run.steps():
                    shutil.copyfileobj(source, entry, CHUNK)
                    progress(done, len(run.keys))
                shutil.copyfileobj(source, entry, CHUNK)
            for file in run.files:
                if file.table is not None and file.name != live.name:
                    put(archive, folder / file.name, name)
            put(archive, folder / run.finish().name, name)
        finally:
            run.close()
    stream.flush()


def put(archive: ZipFile, path: Path, name: str) -> None:
    with archive.open(zip_entry(path, name), "w", force_zip64=True) as entry, path.open("rb") as source:
        shutil.copyfileobj(source, entry, CHUNK)


def zip_entry(path: Path, name: str) -> ZipInfo:
    entry = ZipInfo(f"{name}/{path.name}", date_time=time.gmtime()[:6])
    # Parquet is compressed in itself.
    entry.compress_type = ZIP_STORED if path.suffix == ".parquet" else ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def shown(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 60 else f"{text[:57]}..."
