"""The languages of a study in the editor: that of its own texts, and those of what surrounds them besides."""

from typing import Any

from django import forms

from playtest.studies.editor.kinds import Draft
from playtest.studies.languages import known_languages


def language_fields() -> dict[str, forms.Field]:
    choices = list(known_languages().items())
    return {
        "language": forms.ChoiceField(
            label="Language of your texts",
            choices=choices,
            widget=forms.RadioSelect,
            help_text="Buttons, rules and messages around your texts are in it too.",
        ),
        "others": forms.MultipleChoiceField(
            label="Languages of buttons, rules and messages besides",
            choices=choices,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            help_text="Participants get what their browser asks for, or choose. Your texts stay as they are.",
        ),
    }


def languages_read(value: Draft) -> dict[str, Any]:
    """What the fields show at first."""
    language, *others = value.get("languages") or list(known_languages())[:1]
    return {"language": language, "others": others}


def languages_write(cleaned: dict[str, Any]) -> list[str]:
    """Takes both fields out of what was typed, and gives the list of the document."""
    language, others = cleaned.pop("language"), cleaned.pop("others")
    return [language, *(one for one in others if one != language)]
