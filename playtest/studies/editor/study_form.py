"""The form of the study itself: what stands above its pages."""

from typing import Any, ClassVar

from django import forms

from playtest.studies.document.limits import parse_study_limits
from playtest.studies.document.reader import Reader
from playtest.studies.editor.forms import PartForm, line, words
from playtest.studies.editor.kinds import Draft
from playtest.studies.editor.language_fields import language_fields, languages_read, languages_write
from playtest.studies.editor.time_fields import (
    STUDY_FIELDS,
    TIME_TITLE,
    study_time_fields,
    study_time_read,
    study_time_write,
)
from playtest.studies.languages import known_languages


class StudyForm(PartForm):
    group_titles: ClassVar[dict[str, str]] = dict.fromkeys(STUDY_FIELDS, TIME_TITLE)

    def make_fields(self) -> dict[str, forms.Field]:
        return {
            "title": line("Title", help_text="What participants read first."),
            "summary": words(
                "Summary", limit=2_000, rows=3, help_text="Stands on the first page, before anybody starts."
            ),
            **language_fields(),
            **study_time_fields(),
        }

    def read(self, value: Draft) -> dict[str, Any]:
        return {
            "title": value.get("title"),
            "summary": value.get("summary", ""),
            **languages_read(value),
            **study_time_read(value),
        }

    def write(self, cleaned: dict[str, Any]) -> Draft:
        study = study_time_write(self.value, cleaned)
        return {**study, "languages": languages_write(cleaned), **cleaned}

    def check(self, value: Draft) -> None:
        parse_study_limits(Reader(value, ""))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("language") in cleaned.get("others", []):
            own = known_languages()[cleaned["language"]]
            self.add_error("others", f"{own} is the language of your texts already.")
        return cleaned

    def field_at(self, place: list[str]) -> str | None:
        name = "-".join(place[place[:1] == ["limits"] :])
        return name if name in self.fields else super().field_at(place)
