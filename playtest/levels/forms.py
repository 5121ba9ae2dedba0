"""Forms of the level pages."""

from typing import Any

from django import forms

from engine.level import LARGEST_FILE, Level, LevelError, decode_level, parse_level
from playtest.levels.services.playtests import MOST_GAMES, MOST_ITERATIONS
from playtest.names import name_problem


class LevelUploadForm(forms.Form):
    """A level file, chosen or pasted. After validation `level` is the level."""

    file = forms.FileField(
        label="Level file",
        required=False,
        help_text="A JSON file as “Download level file” gives it.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
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
        help_text="If you leave it empty, the name in the file is used.",
    )

    level: Level

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := name_problem(name):
            raise forms.ValidationError(problem)
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file, text = cleaned.get("file"), cleaned.get("text")
        if self.errors:
            return cleaned
        if file and text:
            raise forms.ValidationError("Choose a file or paste its text, not both.")
        if not file and not text:
            raise forms.ValidationError("Choose a level file or paste its text.")
        content: bytes | str = file.read(LARGEST_FILE + 1) if file else text or ""
        size = file.size if file else len(content)
        if size > LARGEST_FILE:
            raise forms.ValidationError(f"The level file has {size:,} bytes, at most {LARGEST_FILE:,} are allowed.")
        try:
            self.level = parse_level(decode_level(content))
        except LevelError as error:
            raise forms.ValidationError(str(error)) from error
        return cleaned


class PlaytestForm(forms.Form):
    """What a playtest is to be like."""

    games = forms.IntegerField(label="Games of each agent", min_value=1, max_value=MOST_GAMES, initial=100)
    iterations = forms.IntegerField(
        label="Simulations a move",
        min_value=1,
        max_value=MOST_ITERATIONS,
        initial=250,
        help_text="For the agents that search; 250 as in the paper.",
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**53 - 1,
        initial=1,
        help_text="The same seed gives the same games.",
    )
