"""Forms of the level pages."""

from collections.abc import Iterator, Sequence
from typing import Any
from zipfile import BadZipFile, ZipFile

from django import forms
from django.core.files.uploadedfile import UploadedFile

from engine.level import LARGEST_FILE, Level, LevelError, decode_level, parse_level
from engine.solving import solver_names
from playtest.fields import WholeField
from playtest.levels.services.playtests import MOST_GAMES, MOST_ITERATIONS
from playtest.names import name_problem

MOST_FILES = 200


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Any number of files; the value is their list."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list["UploadedFile[Any]"]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        return [super(ManyFilesField, self).clean(file, initial) for file in files]


class LevelUploadForm(forms.Form):
    """Level files, chosen or pasted. After validation `levels` are all of them: one that is wrong keeps all out."""

    file = ManyFilesField(
        label="Level files",
        required=False,
        help_text="JSON files as “Download level file” gives them, or a ZIP file of such; several at once if you like.",
        widget=ManyFilesInput(attrs={"accept": ".json,.zip,application/json,application/zip"}),
    )
    text = forms.CharField(
        label="Or paste its text",
        required=False,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false", "autocomplete": "off", "class": "code"}),
    )
    name = forms.CharField(
        label="Name",
        required=False,
        max_length=120,
        help_text="If you leave it empty, the name in the file is used. Of several files each keeps its own.",
    )

    levels: list[Level]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := name_problem(name):
            raise forms.ValidationError(problem)
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        files, text = cleaned.get("file"), cleaned.get("text")
        if self.errors:
            return cleaned
        if files and text:
            raise forms.ValidationError("Choose a file or paste its text, not both.")
        if not files and not text:
            raise forms.ValidationError("Choose a level file or paste its text.")
        if files:
            self.levels = levels_of_files([(file.name or "file", file) for file in files])
        else:
            try:
                self.levels = [level_of_content(text or "")]
            except LevelError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned


def level_of_content(content: bytes | str) -> Level:
    """The level of a file's content; raises LevelError."""
    if len(content) > LARGEST_FILE:
        raise LevelError(f"The level file has {len(content):,} bytes, at most {LARGEST_FILE:,} are allowed.")
    return parse_level(decode_level(content))


def levels_of_files(files: Sequence[tuple[str, "UploadedFile[Any]"]]) -> list[Level]:
    """The levels of all files. Raises ValidationError that names each one that is wrong, and how many were right."""
    levels: list[Level] = []
    problems: list[str] = []
    for name, content in _contents(files, problems):
        try:
            levels.append(level_of_content(content))
        except LevelError as error:
            problems.append(str(error) if len(files) == 1 and not name.count(" in ") else f"{name}: {error}")
    if problems:
        if levels:
            problems.append(
                f"Nothing was added: the other {len(levels)} can come in once these are mended or left out."
            )
        raise forms.ValidationError(problems)
    if not levels:
        raise forms.ValidationError("There is no level file in it.")
    return levels


def _contents(files: Sequence[tuple[str, "UploadedFile[Any]"]], problems: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of each level file, also of those in ZIP files. What cannot be read is added to `problems`."""
    count = 0
    for name, file in files:
        if not name.lower().endswith(".zip"):
            count += 1
            if count <= MOST_FILES:
                yield name, file.read(LARGEST_FILE + 1)
            continue
        try:
            with ZipFile(file) as archive:
                for member in archive.infolist():
                    if member.is_dir() or not member.filename.lower().endswith(".json"):
                        continue
                    count += 1
                    if count <= MOST_FILES:
                        with archive.open(member) as one:
                            yield f"{member.filename} in {name}", one.read(LARGEST_FILE + 1)
        except (BadZipFile, NotImplementedError, RuntimeError, OSError):
            problems.append(f"{name} is no ZIP file that can be read.")
    if count > MOST_FILES:
        problems.append(f"These are {count:,} level files, at most {MOST_FILES} come in at once.")


class SearchForm(forms.Form):
    """For how long and by which solver the best play of a board is looked for."""

    seconds = forms.TypedChoiceField(
        label="For",
        coerce=int,
        choices=[(10, "10 seconds"), (60, "1 minute"), (300, "5 minutes"), (1200, "20 minutes"), (3600, "1 hour")],
        initial=10,
    )
    solver = forms.ChoiceField(
        label="by", choices=[(name, name) for name in solver_names()], initial="anneal", required=False
    )

    def clean_solver(self) -> str:
        return self.cleaned_data["solver"] or "anneal"


class PlaytestForm(forms.Form):
    """What a playtest is to be like."""

    games = WholeField(label="Games of each agent", min_value=1, max_value=MOST_GAMES, initial=100)
    iterations = WholeField(
        label="Simulations a move",
        min_value=1,
        max_value=MOST_ITERATIONS,
        initial=250,
        help_text="For the agents that search; 250 as in the paper.",
    )
    seed = WholeField(
        label="Seed",
        min_value=0,
        max_value=2**53 - 1,
        initial=1,
        help_text="The same seed gives the same games.",
    )
