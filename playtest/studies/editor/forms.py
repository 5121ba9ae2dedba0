"""Forms of the pages of a study. A field is named as in the document and says its words for designers."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.datastructures import MultiValueDict

from playtest.fields import WholeField
from playtest.studies.completion_urls import LIMIT_URL
from playtest.studies.document.items import LIMIT_LABEL
from playtest.studies.document.outcomes import LIMIT_CODE, MOST_WAIT, OUTCOMES
from playtest.studies.document.pages import LEAST_HINT, LIMIT_TEXT, LIMIT_TITLE, MOST_HINT, Animation, parse_page
from playtest.studies.document.reader import LIMIT_NAME
from playtest.studies.editor.groups import Group, grouped
from playtest.studies.editor.kinds import Draft
from playtest.studies.editor.time_fields import (
    ROUND_FIELDS,
    TIME_TITLE,
    round_time_fields,
    round_time_read,
    round_time_write,
)
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
    group_titles: ClassVar[dict[str, str]] = {}
    """Titles of the groups of fields that stand apart, by the names of their fields."""
    settled: ClassVar[tuple[str, ...]] = ()
    """Fields whose numbers may be others once the part is stored, as where another level or game is chosen."""

    def __init__(
        self,
        data: MultiValueDict[str, Any] | None = None,
        *,
        value: Draft,
        owner: Draft | None = None,
        published: Draft | None = None,
    ) -> None:
        """`owner` is the page of an entry, `published` the same part in the newest version, where it is in it."""
        super().__init__(data, initial=self.read(value), auto_id="field-%s")
        self.value = value
        self.owner = owner
        self.published = published
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
        named = self.field_at(place.split(", ")) if said else None
        field = named or self.field_for(sentence)
        if field is None:
            self.add_error(NON_FIELD_ERRORS, sentence)
        else:
            self.add_error(field, f"{said[:1].upper()}{said[1:]}" if named else sentence)

    def field_at(self, place: list[str]) -> str | None:
        """The field of a place of the document, which is given by its words from the outside in."""
        return place[-1] if place[-1] in self.fields else None

    def field_for(self, sentence: str) -> str | None:
        return next((name for name in self.fields if f"“{name}”" in sentence or f'"{name}"' in sentence), None)

    def document(self) -> Draft:
        return self.write(dict(self.cleaned_data))

    def stored_numbers(self, value: Draft) -> dict[str, str]:
        """What the settled fields show of the part as it is stored."""
        shown = self.read(value)
        return {name: "" if shown.get(name) is None else str(shown[name]) for name in self.settled}

    @property
    def groups(self) -> list[Group]:
        """All fields in order, by the groups that they stand in."""
        return list(grouped(self, self.group_titles))


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


def whole(label: str, low: int, high: int, *, help_text: str = "") -> WholeField:
    return WholeField(label=label, min_value=low, max_value=high, help_text=help_text)


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


OUTCOME_TITLES = {
    "complete": "When everything is done",
    "declined": "Who declines",
    "screened_out": "Who is screened out",
    "timed_out": "Who was away too long or out of time",
    "returned": "Who gave the place back",
}
PLACES_HELP = (
    "https:// and a host that this site allows. Filled in: [COMPLETION_CODE], [CODE] (the participant’s own), "
    "[OUTCOME], and parameters of the link such as [PROLIFIC_PID]. Leave it empty to send nobody anywhere."
)


class EndForm(PageForm):
    """The end page; of each outcome the fields are named `OUTCOME-text` and so on."""

    text_label = "Text for those who did everything"
    text_help = "Their code is shown below it. An empty line begins a new paragraph."
    group_titles: ClassVar[dict[str, str]] = {
        **{f"{name}-{key}": OUTCOME_TITLES[name] for name in OUTCOMES for key in ("text", "code", "url")},
        "wait": OUTCOME_TITLES["complete"],
    }

    def make_fields(self) -> dict[str, forms.Field]:
        fields = super().make_fields()
        for name in OUTCOMES:
            if name != "complete":
                fields[f"{name}-text"] = words("Text", rows=3, help_text="If it is empty, there are words of ours.")
            fields[f"{name}-code"] = forms.CharField(
                label="Completion code",
                max_length=LIMIT_CODE,
                required=False,
                help_text="The recruiter’s code for this outcome, the same for everybody.",
                widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
            )
            fields[f"{name}-url"] = forms.CharField(
                label="Completion address",
                max_length=LIMIT_URL,
                required=False,
                help_text=PLACES_HELP if name == "complete" else "As above, for this outcome.",
                widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off", "inputmode": "url"}),
            )
            if name == "complete":
                fields["wait"] = WholeField(
                    label="Countdown in seconds",
                    min_value=0,
                    max_value=MOST_WAIT,
                    help_text="Until the page goes on there; it can be stopped. From 5, 0 for never.",
                )
        return fields

    def read(self, value: Draft) -> dict[str, Any]:
        page = parse_page(value, "").to_document()
        flat = {f"{name}-{key}": one for name, entry in page["outcomes"].items() for key, one in entry.items()}
        return {"title": page["title"], "text": page["text"], "wait": page["wait"], **flat}

    def write(self, cleaned: dict[str, Any]) -> Draft:
        outcomes: dict[str, dict[str, str]] = {name: {} for name in OUTCOMES}
        kept: dict[str, Any] = {}
        for field, entry in cleaned.items():
            name, dash, key = field.partition("-")
            if dash:
                outcomes[name][key] = entry
            else:
                kept[field] = entry
        return {**self.value, **kept, "outcomes": outcomes}

    def field_at(self, place: list[str]) -> str | None:
        name = "-".join(place[-2:])
        return name if name in self.fields else super().field_at(place)


SPEEDS: dict[str, tuple[str, Animation]] = {
    "calm": ("Calm: every step can be followed", Animation(swap=280, step=520, cap=5_000)),
    "usual": ("Usual", Animation()),
    "quick": ("Quick", Animation(swap=100, step=160, cap=1_200)),
    "none": ("None: the board changes at once", Animation(swap=0, step=0, cap=0)),
}
OWN_SPEED = "own"
OFF_WITHOUT_KEY = {"undo", "hint_after"}


class RoundsForm(PageForm):
    text_help = "Stands under “How to play”. Leave it empty for the rules of the game in our words."
    group_titles: ClassVar[dict[str, str]] = dict.fromkeys(ROUND_FIELDS, TIME_TITLE)

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
            "undo": forms.BooleanField(
                label="The last move may be taken back",
                required=False,
                help_text="As often as there are moves, until the round is over. Every undo is kept in the data.",
            ),
            "hint_after": WholeField(
                label="Show a move after so many seconds without a touch",
                required=False,
                min_value=LEAST_HINT,
                max_value=MOST_HINT,
                help_text="Empty: never. A hint changes what is measured; each one that was shown is in the data.",
            ),
            **round_time_fields(),
        }

    def speed_of(self, value: Draft) -> str:
        anim = value.get("anim", SPEEDS["usual"][1].to_document())
        return next((name for name, (_, one) in SPEEDS.items() if one.to_document() == anim), OWN_SPEED)

    def read(self, value: Draft) -> dict[str, Any]:
        return {
            **value,
            "order": value.get("order", "fixed"),
            "speed": self.speed_of(value),
            **round_time_read(value),
        }

    def write(self, cleaned: dict[str, Any]) -> Draft:
        cleaned["undo"] = cleaned.get("undo") or None
        speed = cleaned.pop("speed")
        anim = {"anim": SPEEDS[speed][1].to_document()} if speed in SPEEDS else {}
        page = round_time_write(self.value, cleaned)
        changed = {**page, **cleaned, **anim}
        # What is off has no key, as in documents from before there was such a choice.
        return {key: entry for key, entry in changed.items() if entry is not None or key not in OFF_WITHOUT_KEY}

    def field_at(self, place: list[str]) -> str | None:
        name = "-".join(place[-2:])
        return name if name in self.fields else super().field_at(place)


class PracticeForm(RoundsForm):
    def make_fields(self) -> dict[str, forms.Field]:
        fields = super().make_fields()
        for name in ("order", *ROUND_FIELDS):
            del fields[name]
        fields["skip"] = forms.BooleanField(
            label="Practice may be skipped",
            required=False,
            help_text="Otherwise people go on when they have made a match, seen a swap go back and seen a cascade; in "
            "SameGame, when they have looked at a group and removed one.",
        )
        return fields

    def read(self, value: Draft) -> dict[str, Any]:
        return {**value, "speed": self.speed_of(value)}


PAGE_FORMS: dict[str, type[PageForm]] = {
    "consent": ConsentForm,
    "questionnaire": QuestionnaireForm,
    "practice": PracticeForm,
    "rounds": RoundsForm,
    "end": EndForm,
}
