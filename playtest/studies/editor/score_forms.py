"""The form of a score: which questions of the page it counts, which of them reversed, and how."""

from django import forms

from playtest.studies.document.items import LIMIT_LABEL, Item, parse_item
from playtest.studies.document.scores import MOST_COUNTED, RangedItem, parse_score
from playtest.studies.editor.forms import PartForm, key_field, line, whole
from playtest.studies.editor.kinds import Draft, page_questions


class ScoreForm(PartForm):
    def page_items(self) -> dict[str, Item]:
        """The questions of the page by their keys."""
        return {item["key"]: parse_item(item, "") for item in page_questions(self.owner or {})}

    def make_fields(self) -> dict[str, forms.Field]:
        choices = [
            (key, f"{item.label} ({item.low} to {item.high})")
            for key, item in self.page_items().items()
            if isinstance(item, RangedItem)
        ]
        counted = forms.MultipleChoiceField(
            label="Questions that it counts",
            choices=choices,
            widget=forms.CheckboxSelectMultiple,
            help_text="Scales and numbers of one range.",
        )
        reverse = forms.MultipleChoiceField(
            label="Of these, reversed",
            choices=choices,
            widget=forms.CheckboxSelectMultiple,
            required=False,
            help_text="Where agreeing means less: from 1 to 5, an answer of 2 then counts as 4.",
        )
        methods = [("mean", "The mean of the answers"), ("sum", "Their sum")]
        return {
            "label": line("Name", limit=LIMIT_LABEL),
            "items": counted,
            "reverse": reverse,
            "method": forms.ChoiceField(label="Value", choices=methods, widget=forms.RadioSelect),
            "least": whole(
                "How many must be answered",
                1,
                MOST_COUNTED,
                help_text="With fewer answers there is no value. A missing one counts as the mean of the others.",
            ),
            "key": key_field(),
        }

    def check(self, value: Draft) -> None:
        parse_score(value, "", self.page_items())
