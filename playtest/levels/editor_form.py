"""The form in which a level is drawn. Its board is a text, top row first: the page's script makes a picture of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms

from engine.game import games
from engine.level import HORIZON_RANGE, LONGEST_DROPS, MOVES_RANGE, Level, LevelError, parse_level
from playtest.fields import WholeField
from playtest.levels.services.levels import LONGEST_NAME
from playtest.names import name_problem

MOST_TAGS, LONGEST_TAG = 20, 40
FROM_SEED, WRITTEN = "seed", "written"
NAMED_KEY = re.compile(r'^"(\w+)"')
BOARD_FIELDS = {"rows", "cols", "colours", "moves", "seed", "drops", "horizon"}


def split_lines(text: str) -> list[str]:
    """The lines of a text field without blanks at their ends, in capitals; empty lines at the end are no lines."""
    lines = [line.strip().upper() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def split_tags(text: str) -> list[str]:
    """The tags of a text, in the order in which they stand, each once; case makes no difference."""
    return list(dict.fromkeys(tag for tag in (" ".join(part.lower().split()) for part in text.split(",")) if tag))


def level_document(data: Mapping[str, Any]) -> dict[str, Any]:
    """The level file that the values of the form describe; keys that the game does not know are left out."""
    document = {
        "game": data["game"],
        "name": data.get("name") or "",
        **{key: data[key] for key in ("rows", "cols", "colours", "seed")},
        "board": split_lines(data.get("board") or ""),
        "moves": data.get("moves"),
        "horizon": data.get("horizon"),
    }
    if data.get("queues") == WRITTEN:
        lines = [line.strip().upper() for line in (data.get("drops") or "").splitlines()]
        # A column whose text was left empty at the end has no line: its pieces come from the seed.
        document["drops"] = lines + [""] * (data["cols"] - len(lines))
    known = games()[data["game"]].info.level_keys
    return {key: value for key, value in document.items() if key in known and value is not None}


def initial_values(level: Level, *, tags: Sequence[str]) -> dict[str, Any]:
    """What the form begins with for a level that is there."""
    document = level.to_document()
    own = replace(level, horizon=None).to_document()
    return {
        **{key: document.get(key) for key in ("game", "name", "rows", "cols", "colours", "seed")},
        "moves": level.moves if level.moves is not None else 20,
        # A number that the board itself gives follows the board when that is changed.
        "horizon": None if level.horizon is None or parse_level(own) == level else level.horizon,
        "board": "\n".join(level.board),
        "queues": FROM_SEED if level.drops is None else WRITTEN,
        "drops": "\n".join(level.drops or ()),
        "tags": ", ".join(tags),
    }


class LevelEditorForm(forms.Form):
    """After validation `level` is the level, `cleaned_data["tags"]` the list of its tags."""

    name = forms.CharField(label="Name", required=False, max_length=LONGEST_NAME)
    game = forms.ChoiceField(label="Game", widget=forms.RadioSelect)
    rows = WholeField(label="Rows", min_value=2, max_value=20)
    cols = WholeField(label="Columns", min_value=2, max_value=20)
    colours = WholeField(label="Colours", min_value=2, max_value=9)
    moves = WholeField(label="Moves", required=False, min_value=MOVES_RANGE[0], max_value=MOVES_RANGE[1])
    horizon = WholeField(
        label="Legal moves count before move",
        required=False,
        min_value=HORIZON_RANGE[0],
        max_value=HORIZON_RANGE[1],
        help_text="Left empty, it is taken from random play of the board.",
    )
    seed = WholeField(
        label="Seed",
        min_value=0,
        max_value=2**53 - 1,
        help_text="A board that is filled at random, and what falls in, come from it.",
    )
    board = forms.CharField(
        label="Board as text",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off", "class": "code"}),
        help_text="Top row first, one letter a cell: A is the first colour.",
    )
    queues = forms.ChoiceField(
        label="What falls in",
        choices=[(FROM_SEED, "Drawn from the seed"), (WRITTEN, "Written for each column")],
        widget=forms.RadioSelect,
    )
    drops = forms.CharField(
        label="Pieces of each column",
        required=False,
        strip=False,
        max_length=20 * (LONGEST_DROPS + 2),
        widget=forms.Textarea(attrs={"rows": 7, "spellcheck": "false", "autocomplete": "off", "class": "code"}),
        help_text="A line for each column from the left, the piece that falls first stands first. "
        "After the last one, and for an empty line, pieces come from the seed.",
    )
    tags = forms.CharField(
        label="Tags", required=False, max_length=1_000, help_text="Words to find it by, with commas between them."
    )
    note = forms.CharField(
        label="What is new", required=False, max_length=500, help_text="Shown beside the version in its history."
    )
    base = WholeField(required=False, min_value=0, widget=forms.HiddenInput)

    level: Level
    document: dict[str, Any] | None = None
    """The level file as it stands in the fields, right or wrong; None if a field holds no value of its kind."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["game"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(name, game.info.title) for name, game in games().items()]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := name_problem(name):
            raise forms.ValidationError(problem)
        return name

    def clean_tags(self) -> list[str]:
        tags = split_tags(self.cleaned_data["tags"])
        if problem := name_problem("".join(tags)):
            raise forms.ValidationError(problem.replace("name", "tag"))
        if len(tags) > MOST_TAGS:
            raise forms.ValidationError(f"These are {len(tags)} tags, at most {MOST_TAGS} are kept.")
        long = [tag for tag in tags if len(tag) > LONGEST_TAG]
        if long:
            raise forms.ValidationError(f"The tag “{long[0]}” has more than {LONGEST_TAG} characters.")
        return tags

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors.keys() - {"name", "tags", "note"}:
            return cleaned
        self.document = level_document(cleaned)
        try:
            self.level = parse_level(self.document)
        except LevelError as error:
            named = NAMED_KEY.match(str(error))
            where = named[1] if named and named[1] in BOARD_FIELDS else "board"
            self.add_error(where, str(error))
        return cleaned


class WhatIfForm(LevelEditorForm):
    """What may be changed to see the difference: everything that plays, but not the game, whose players are others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("name", "tags", "note", "base"):
            del self.fields[name]
        self.fields["game"].widget = forms.HiddenInput()
