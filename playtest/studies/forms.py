"""What participants fill in: a questionnaire, one field a question, and the id that a link should have carried.

Checked in the browser by nobody and here once.
"""

import math
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from playtest.fields import DecimalField
from playtest.studies.document import QuestionnairePage
from playtest.studies.document.items import ChoiceItem, Item, NumberItem, ScaleItem, TextItem
from playtest.studies.recruiting import read_recruiter_id

Answers = dict[str, str | int | float | None]


class RecruiterIdForm(forms.Form):
    """Asks who comes by a recruiter's link without an id in it."""

    use_required_attribute = False
    error_css_class = "field--error"
    recruiter_id = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["recruiter_id"]
        field.label = _("Your participant id")
        field.help_text = _(
            "The service that sent you here shows it in your account. The link that you opened came without it."
        )
        field.error_messages |= {
            "required": _("Please enter your participant id."),
            "max_length": _("An id has at most 200 characters. Please copy it once more."),
            "null_characters_not_allowed": _("Please leave out the characters that cannot be seen."),
        }
        # Shown again, the page begins where something is to be mended, for screen readers too.
        if self.is_bound:
            field.widget.attrs["autofocus"] = True

    def clean_recruiter_id(self) -> str:
        found = read_recruiter_id([self.cleaned_data["recruiter_id"]])
        if found is None:
            raise forms.ValidationError(
                _("An id has letters, digits and . _ @ + : = - only. Please copy it once more.")
            )
        return found


class QuestionnaireForm(forms.Form):
    """`answers` gives the values by question once the form is valid, None where one was skipped."""

    use_required_attribute = False
    error_css_class = "field--error"

    def __init__(self, *args: Any, page: QuestionnairePage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.page = page
        for item in page.items:
            field = field_of(item)
            field.label = item.label
            # Escaped here: the component takes help as HTML. The question's own help may be in another language.
            parts = [(format_html("{}", item.help),)] if item.help else []
            if allowed := allowed_words(item):
                parts.append((format_html('<span lang="{}">{}</span>', get_language(), allowed),))
            field.help_text = format_html_join(" ", "{}", parts)
            field.required = item.required
            field.error_messages |= {
                "required": _("Please answer this question."),
                "invalid_choice": _("Please choose one of the answers."),
                "null_characters_not_allowed": _("Please leave out the characters that cannot be seen."),
            }
            self.fields[item.key] = field

    @property
    def is_only_missing(self) -> bool:
        """Whether every fault is an answer that is not there."""
        return all(error.code == "required" for errors in self.errors.as_data().values() for error in errors)

    @property
    def counts_characters(self) -> bool:
        """Whether the page needs the script that counts."""
        return any(isinstance(item, TextItem) for item in self.page.items)

    def answers(self) -> Answers:
        return {item.key: answer_of(item, self.cleaned_data[item.key]) for item in self.page.items}


def field_of(item: Item) -> forms.Field:
    if isinstance(item, ChoiceItem):
        choices = [(option.value, option.label) for option in item.options]
        return forms.ChoiceField(choices=choices, widget=forms.RadioSelect)
    if isinstance(item, ScaleItem):
        return forms.ChoiceField(choices=scale_choices(item), widget=forms.RadioSelect({"class": "scale"}))
    if isinstance(item, NumberItem):
        return NumberAnswer(item)
    assert isinstance(item, TextItem)
    return TextAnswer(item)


def allowed_words(item: Item) -> str:
    """What an answer that is typed in may be, said before anybody types."""
    if isinstance(item, NumberItem):
        bounds = {"low": item.low, "high": item.high, "n": item.decimals}
        if not item.decimals:
            return _("A whole number from %(low)s to %(high)s.") % bounds
        return (
            ngettext(
                "A number from %(low)s to %(high)s, with at most %(n)s digit after the point.",
                "A number from %(low)s to %(high)s, with at most %(n)s digits after the point.",
                item.decimals,
            )
            % bounds
        )
    if isinstance(item, TextItem):
        return _("Up to %(n)s characters.") % {"n": number_format(item.max_length, force_grouping=True)}
    return ""


class NumberAnswer(DecimalField):
    """A number within its bounds. Whatever else is typed gets one sentence, which says what they are."""

    def __init__(self, item: NumberItem) -> None:
        super().__init__(min_value=item.low, max_value=item.high, decimal_places=item.decimals)
        bounds = {"low": item.low, "high": item.high}
        said = (
            _("Please enter a number from %(low)s to %(high)s.")
            if item.decimals
            else _("Please enter a whole number from %(low)s to %(high)s.")
        ) % bounds
        codes = ("invalid", "min_value", "max_value", "max_digits", "max_decimal_places", "max_whole_digits")
        self.error_messages |= dict.fromkeys(codes, said)


class TextAnswer(forms.CharField):
    """Text as it was written. Line ends count one each, as in the browser, which sends two characters for each.

    The browser gets no `maxlength`, by which it would cut what is pasted without a word: what is too long is counted
    while one writes, and refused with all of it kept.
    """

    def __init__(self, item: TextItem) -> None:
        counted = {
            "data-limit": item.max_length,
            "data-left": _("Characters left:"),
            "data-over": _("Characters too many:"),
        }
        attributes = counted if item.lines == 1 else {**counted, "rows": item.lines}
        widget = forms.TextInput(attributes) if item.lines == 1 else forms.Textarea(attributes)
        super().__init__(widget=widget, strip=False)
        self.limit = item.max_length

    def validate(self, value: Any) -> None:
        super().validate(value)
        length = len(value.replace("\r\n", "\n"))
        if length > self.limit:
            raise forms.ValidationError(
                _("Please shorten your answer to at most %(limit)s characters. It has %(length)s now.")
                % {
                    "limit": number_format(self.limit, force_grouping=True),
                    "length": number_format(length, force_grouping=True),
                }
            )


def scale_choices(item: ScaleItem) -> list[tuple[str, str]]:
    """The steps, with words where the question has them."""
    words = item.words
    return [
        (str(step), format_html('{} <span class="scale__words">({})</span>', step, words[step]))
        if step in words
        else (str(step), str(step))
        for step in range(item.low, item.high + 1)
    ]


def answer_of(item: Item, value: Any) -> str | int | float | None:
    """A field's value as it is stored."""
    if value is None or value == "":
        return None
    if isinstance(item, ScaleItem):
        return int(value)
    if isinstance(item, NumberItem):
        number = float(value)
        return int(number) if math.floor(number) == number else number
    return str(value)
