"""Forms of the study itself and of its pages. A field is named as in the document and says its words for designers."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.datastructures import MultiValueDict

from playtest.studies.document.items import LIMIT_LABEL
from playtest.studies.document.pages import LIMIT_TEXT, LIMIT_TITLE, Animation, parse_page
from playtest.studies.document.reader import LIMIT_NAME
from playtest.studies.editor.kinds import Draft
from playtest.studies.errors import StudyError

STORABLE = "The text holds a character that cannot be stored. Please take it out: it cannot be seen."
REQUIRED = "Please write something here."


class PartForm(forms.Form):
    """A part of a draft as a form. `document()` gives the part with what was typed; keys without a field stay.

    A class says its fields in `make_fields`, so that they may be named by words of Python such as `from`.
    """

    use_required_attribute = False
    error_css_class = "field--error"
    title_field: ClassVar[str] = "title"

    def __init__(
        self, data: MultiValueDict[str, Any] | None = None, *, value: Draft, owner: Draft | None = None
    ) -> None:
        """`owner` is the page of an entry."""
        super().__init__(data, initial=self.read(value), auto_id="field-%s")
        self.value = value
        self.owner = owner
        for name, field in self.make_fields().items():
            field.label_suffix = ""
            field.error_messages.setdefault("required", REQUIRED)
            field.error_messages["required"] = REQUIRED if isinstance(field, forms.CharField) else "This is needed."
            self.fields[name] = field

    def make_fields(self) -> dict[str, forms.Field]:
        return {}

    def read(self, value: Draft) -> dict[str, Any]:
        """What the fields show at first."""
        return dict(value)

    def write(self, cleaned: dict[str, Any]) -> Draft:
        """The part's own fields from what was typed."""
        return {**self.value, **cleaned}

    def check(self, value: Draft) -> None:
        """Raise StudyError if the document would refuse the part."""

    def clean(self) -> dict[str, Any]:
        cleaned = dict(super().clean() or {})
        for name, entry in cleaned.items():
            if isinstance(entry, str):
                cleaned[name] = entry.replace("\r\n", "\n")
        if not self.errors:
            try:
                self.check(self.write(dict(cleaned)))
            except StudyError as error:
                self.refuse(str(error))
        return cleaned

    def refuse(self, sentence: str) -> None:
        """Show what the document refuses at the field that it names, else above the form."""
        place, _, said = sentence.partition(": ")
        name = place.rsplit(", ", 1)[-1]
        field = name if said and name in self.fields else self.field_for(sentence)
        if field is None:
            self.add_error(NON_FIELD_ERRORS, sentence)
        else:
            self.add_error(field, f"{said[:1].upper()}{said[1:]}" if name in self.fields else sentence)

    def field_for(self, sentence: str) -> str | None:
        return next((name for name in self.fields if f"“{name}”" in sentence or f'"{name}"' in sentence), None)

    def document(self) -> Draft:
        return self.write(dict(self.cleaned_data))


def line(label: str, *, limit: int = LIMIT_TITLE, required: bool = True, help_text: str = "") -> forms.CharField:
    return forms.CharField(label=label, max_length=limit, required=required, help_text=help_text, strip=False)


def words(
    label: str, *, limit: int = LIMIT_TEXT, required: bool = False, help_text: str = "", rows: int = 6
) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(
        label=label, max_length=limit, required=required, help_text=help_text, strip=False, widget=widget
    )


KEY_HELP = "How it is called in exports: small letters, digits, - and _. Keep it once people have played."


def key_field() -> forms.CharField:
    return line("Name in the data", limit=LIMIT_NAME, help_text=KEY_HELP)


def whole(label: str, low: int, high: int, *, help_text: str = "") -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=low, max_value=high, help_text=help_text)


class StudyForm(PartForm):
    def make_fields(self) -> dict[str, forms.Field]:
        return {
            "title": line("Title", help_text="What participants read first."),
            "summary": words(
                "Summary", limit=2_000, rows=3, help_text="Stands on the first page, before anybody starts."
            ),
        }

    def read(self, value: Draft) -> dict[str, Any]:
        return {"title": value.get("title"), "summary": value.get("summary", "")}


class PageForm(PartForm):
    """What all pages have."""

    text_label = "Text"
    text_help = "An empty line begins a new paragraph."
    text_required = False

    def make_fields(self) -> dict[str, forms.Field]:
        return {
            "title": line("Heading"),
            "text": words(
                self.text_label,
                help_text=self.text_help,
                required=self.text_required,
                rows=14 if self.text_required else 6,
            ),
        }

    def check(self, value: Draft) -> None:
        parse_page(value, "")


class ConsentForm(PageForm):
    text_label = "What people are told"
    text_help = (
        "Say what is stored and what for, that taking part is voluntary, and whom to ask. An empty line begins a new "
        "paragraph."
    )
    text_required = True

    def make_fields(self) -> dict[str, forms.Field]:
        agree = line(
            "Sentence that people agree to", help_text="Stands above the buttons “I agree” and “No, thank you”."
        )
        return {**super().make_fields(), "agree": agree}


class QuestionnaireForm(PageForm):
    text_help = "Stands above the questions. An empty line begins a new paragraph."

    def make_fields(self) -> dict[str, forms.Field]:
        source = words(
            "Published in",
            limit=2_000,
            rows=2,
            help_text="Where the scale was published, for the codebook. Participants do not see this.",
        )
        return {
            **super().make_fields(),
            "scale_name": line(
                "Name of the scale", limit=LIMIT_LABEL, required=False, help_text="If the questions are a scale."
            ),
            "citation": source,
            "licence": line("Terms of use of the scale", limit=2_000, required=False),
        }

    def read(self, value: Draft) -> dict[str, Any]:
        scale = value.get("scale") or {}
        return {**value, **scale, "scale_name": scale.get("name", "")}

    def write(self, cleaned: dict[str, Any]) -> Draft:
        named = {key: cleaned.pop(key, "") for key in ("scale_name", "citation", "licence")}
        scale = {"name": named.pop("scale_name"), **named}
        return {**self.value, **cleaned, "scale": scale if any(one.strip() for one in scale.values()) else None}

    def field_for(self, sentence: str) -> str | None:
        return "scale_name" if "scale, name" in sentence else super().field_for(sentence)


class EndForm(PageForm):
    text_help = "Their code is shown below it. An empty line begins a new paragraph."


SPEEDS: dict[str, tuple[str, Animation]] = {
    "calm": ("Calm: every step can be followed", Animation(swap=280, step=520, cap=5_000)),
    "usual": ("Usual", Animation()),
    "quick": ("Quick", Animation(swap=100, step=160, cap=1_200)),
    "none": ("None: the board changes at once", Animation(swap=0, step=0, cap=0)),
}
OWN_SPEED = "own"


class RoundsForm(PageForm):
    text_help = "Stands under “How to play”. Leave it empty for the rules of the game in our words."

    def make_fields(self) -> dict[str, forms.Field]:
        orders = [
            ("fixed", "As listed here, for everybody"),
            ("shuffle", "Shuffled anew for each participant"),
            ("williams", "Balanced: each round equally often at each place, and after each other"),
        ]
        speeds = [(name, label) for name, (label, _) in SPEEDS.items()]
        if self.speed_of(self.value) == OWN_SPEED:
            anim = self.value["anim"]
            speeds.append((OWN_SPEED, f"As in the file: swap {anim.get('swap')} ms, step {anim.get('step')} ms"))
        return {
            **super().make_fields(),
            "order": forms.ChoiceField(label="Order of the rounds", choices=orders, widget=forms.RadioSelect),
            "speed": forms.ChoiceField(
                label="Speed of the animation",
                choices=speeds,
                widget=forms.RadioSelect,
                help_text="Who asks their system for less motion gets none. Thinking time never counts it.",
            ),
        }

    def speed_of(self, value: Draft) -> str:
        anim = value.get("anim", SPEEDS["usual"][1].to_document())
        return next((name for name, (_, one) in SPEEDS.items() if one.to_document() == anim), OWN_SPEED)

    def read(self, value: Draft) -> dict[str, Any]:
        return {**value, "order": value.get("order", "fixed"), "speed": self.speed_of(value)}

    def write(self, cleaned: dict[str, Any]) -> Draft:
        speed = cleaned.pop("speed")
        anim = {"anim": SPEEDS[speed][1].to_document()} if speed in SPEEDS else {}
        return {**self.value, **cleaned, **anim}


PAGE_FORMS: dict[str, type[PageForm]] = {
    "consent": ConsentForm,
    "questionnaire": QuestionnaireForm,
    "rounds": RoundsForm,
    "end": EndForm,
}
