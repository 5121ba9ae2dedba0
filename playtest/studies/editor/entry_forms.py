"""Forms of what stands on pages: questions of each kind, rounds on a fixed level or on a drawn board."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.utils.datastructures import MultiValueDict

from engine.game import games
from engine.level import canonical_json
from engine.numerals import read_whole
from playtest.fields import WholeField
from playtest.levels.models import Level
from playtest.studies.document.items import LIMIT_ANSWER, LIMIT_LABEL, LIMIT_NUMBER, parse_item
from playtest.studies.document.pages import parse_round
from playtest.studies.editor.answers import ROLES, OptionRow, OptionsField, following
from playtest.studies.editor.forms import PartForm, key_field, line, whole, words
from playtest.studies.editor.kinds import Draft, random_board
from playtest.studies.editor.score_forms import ScoreForm


def optional(field: WholeField) -> WholeField:
    field.required = False
    return field


class ItemForm(PartForm):
    """What all questions have."""

    def make_fields(self) -> dict[str, forms.Field]:
        return {
            "label": words("Question", limit=LIMIT_LABEL, required=True, rows=2),
            "help": line("Help below the question", limit=LIMIT_LABEL, required=False),
            **self.kind_fields(),
            **self.judging_fields(),
            "required": forms.BooleanField(label="An answer is required", required=False),
            "sensitive": forms.BooleanField(label="Sensitive: left out of anonymised exports", required=False),
            "key": key_field(),
        }

    def kind_fields(self) -> dict[str, forms.Field]:
        return {}

    def judging_fields(self) -> dict[str, forms.Field]:
        """Which answers screen out, and which is the right one of an attention question."""
        return {}

    def read(self, value: Draft) -> dict[str, Any]:
        return {"required": True, **value}

    def check(self, value: Draft) -> None:
        parse_item(value, "")


class ChoiceForm(ItemForm):
    def kind_fields(self) -> dict[str, forms.Field]:
        names = following(self.value, self.published)
        return {"options": OptionsField(label="Answers", help_text=OPTIONS_HELP, following=names)}

    def read(self, value: Draft) -> dict[str, Any]:
        roles = dict.fromkeys(value.get("screen_out", []), "out") | {value.get("expected"): "right"}
        options = [(one["label"], one["value"], roles.get(one["value"], "")) for one in value.get("options", [])]
        return {**super().read(value), "options": options}

    def write(self, cleaned: dict[str, Any]) -> Draft:
        rows = cleaned.pop("options")
        return {
            **super().write(cleaned),
            "options": [{"value": row["value"], "label": row["label"]} for row in rows],
            "screen_out": [row["value"] for row in rows if row["role"] == "out"],
            "expected": next((row["value"] for row in rows if row["role"] == "right"), None),
        }

    def field_at(self, place: list[str]) -> str | None:
        return "options" if place[-1] in {"screen_out", "expected"} else super().field_at(place)

    def option_rows(self) -> list[OptionRow]:
        """What the rows show, with an empty one at the end."""
        said = {one["value"]: one["label"] for one in (self.published or {}).get("options", [])}
        typed: list[tuple[str, str, str]] = self["options"].value() or []
        rows = [OptionRow(label, name, role, said.get(name, "")) for label, name, role in typed]
        return [*(row for row in rows if row.label or row.name), OptionRow()]

    @property
    def roles(self) -> dict[str, str]:
        return ROLES


JUDGING = "Screening and attention"
EXPECTED_HELP = "Of an attention question: any other answer is a quality flag, and ends nothing."
OPTIONS_HELP = (
    "Empty a row to remove it. A name in the data follows the words until the answer is published, unless you write "
    "another one. An answer that screens out ends the study for who gives it. With a right answer it is "
    "an attention question: any other answer is a quality flag, and ends nothing."
)


class NumberForm(ItemForm):
    group_titles: ClassVar[dict[str, str]] = dict.fromkeys(("below", "above", "expected"), JUDGING)

    def kind_fields(self) -> dict[str, forms.Field]:
        return {
            "min": whole("Least number", -LIMIT_NUMBER, LIMIT_NUMBER),
            "max": whole("Greatest number", -LIMIT_NUMBER, LIMIT_NUMBER),
            "decimals": whole("Decimals", 0, 6, help_text="0 for whole numbers."),
        }

    def judging_fields(self) -> dict[str, forms.Field]:
        out = "The study ends for who gives such an answer."
        return {
            "below": optional(whole("Screen out below", -LIMIT_NUMBER, LIMIT_NUMBER, help_text=out)),
            "above": optional(whole("Screen out above", -LIMIT_NUMBER, LIMIT_NUMBER, help_text=out)),
            "expected": optional(whole("Right answer", -LIMIT_NUMBER, LIMIT_NUMBER, help_text=EXPECTED_HELP)),
        }

    def read(self, value: Draft) -> dict[str, Any]:
        return {**super().read(value), **value.get("screen_out", {})}

    def write(self, cleaned: dict[str, Any]) -> Draft:
        bounds = {name: cleaned.pop(name, None) for name in ("below", "above")}
        return {**super().write(cleaned), "screen_out": bounds}

    def field_for(self, sentence: str) -> str | None:
        return "max" if sentence.startswith("min must") else super().field_for(sentence)


class TextForm(ItemForm):
    def kind_fields(self) -> dict[str, forms.Field]:
        return {
            "lines": whole("Lines of the field", 1, 20),
            "max_length": whole("Longest answer, in characters", 1, LIMIT_ANSWER),
        }


class StepsField(forms.CharField):
    """Steps of a scale, written with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(str(step) for step in value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        try:
            return [read_whole(word) for word in super().clean(value).replace(",", " ").split()]
        except ValueError:
            raise forms.ValidationError("Write the steps with commas between them, such as 1, 2.") from None


class ScaleForm(ItemForm):
    group_titles: ClassVar[dict[str, str]] = dict.fromkeys(("screen_out", "expected"), JUDGING)

    def kind_fields(self) -> dict[str, forms.Field]:
        return {
            "from": whole("First step", -10, 10),
            "low": line("Words at the first step", limit=LIMIT_LABEL, required=False),
            "to": whole("Last step", -10, 20),
            "high": line("Words at the last step", limit=LIMIT_LABEL, required=False),
            "labels": StepWords(
                label="Words at steps between", required=False, widget=forms.Textarea(attrs={"rows": 2})
            ),
        }

    def read(self, value: Draft) -> dict[str, Any]:
        lines = [f"{step}: {one}" for step, one in value.get("labels", {}).items()]
        return {**super().read(value), "labels": "\n".join(lines)}

    def judging_fields(self) -> dict[str, forms.Field]:
        out = "The study ends for who chooses one of them, such as 1, 2."
        return {
            "screen_out": StepsField(label="Steps that screen out", max_length=80, required=False, help_text=out),
            "expected": optional(whole("Right step", -10, 20, help_text=EXPECTED_HELP)),
        }

    def field_for(self, sentence: str) -> str | None:
        if "2 to 11 steps" in sentence:
            return "to"
        return "labels" if "is no step between" in sentence else super().field_for(sentence)


class StepWords(forms.CharField):
    """Words of steps, one a line with its number before it, as the document has them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(help_text="One a line, such as “4: neither”.", strip=False, max_length=5_000, **options)

    def clean(self, value: Any) -> Any:
        found: dict[str, str] = {}
        for one in str(super().clean(value)).splitlines():
            if not one.strip():
                continue
            step, colon, said = one.partition(":")
            if not colon or not said.strip() or not re.fullmatch(r"\s*-?\d{1,3}\s*", step):
                raise forms.ValidationError(f"“{one.strip()[:60]}” is not a step, a colon and words.")
            if str(int(step)) in found:
                raise forms.ValidationError(f"Step {int(step)} is there twice.")
            found[str(int(step))] = said.strip()
        return found


OWN_LEVEL = "own"


@dataclass(frozen=True)
class LevelLabel:
    """What stands beside the picture of a level."""

    name: str
    facts: str

    def __str__(self) -> str:
        return f"{self.name}, {self.facts}"


def level_identity(document: Draft) -> str:
    """What makes two level files the same level with perhaps another number of moves."""
    kept = {key: value for key, value in document.items() if key not in {"moves", "name", "horizon"}}
    return canonical_json(kept)


class LevelForm(PartForm):
    """A round on the same level for everybody, chosen from the library by its picture."""

    settled: ClassVar[tuple[str, ...]] = ("moves",)

    def __init__(
        self,
        data: MultiValueDict[str, Any] | None = None,
        *,
        value: Draft,
        owner: Draft | None = None,
        published: Draft | None = None,
    ) -> None:
        rows = Level.objects.filter(archived_at__isnull=True, current__isnull=False).select_related("current")
        rows = rows.order_by("current__game", "name", "pk")
        self.library = {row.current.hash: (row.name, row.current.document) for row in rows if row.current}
        super().__init__(data, value=value, owner=owner, published=published)

    def make_fields(self) -> dict[str, forms.Field]:
        chosen = self.read(self.value)["level"]
        own = self.value["level"]
        choices = [(one, self.choice_label(name, level)) for one, (name, level) in self.library.items()]
        if chosen == OWN_LEVEL:
            choices.insert(0, (OWN_LEVEL, self.choice_label(own.get("name") or "This level", own)))
        else:
            choices.sort(key=lambda choice: choice[0] != chosen)
        moves = whole("Moves", 1, 1_000, help_text="How many moves a round has. Only for Match-3.")
        moves.required = False
        fields: dict[str, forms.Field] = {
            "level": forms.ChoiceField(label="Level", choices=choices, widget=forms.RadioSelect)
        }
        return {**fields, "moves": moves, "key": key_field()}

    def choice_label(self, name: str, level: Draft) -> "LevelLabel":
        game = games()[level["game"]].info.title
        moves = f" · {level['moves']} moves" if "moves" in level else ""
        return LevelLabel(name, f"{game} · {level['rows']} × {level['cols']} · {level['colours']} colours{moves}")

    def read(self, value: Draft) -> dict[str, Any]:
        same = level_identity(value["level"])
        chosen = (one for one, (_, level) in self.library.items() if level_identity(level) == same)
        return {"key": value["key"], "level": next(chosen, OWN_LEVEL), "moves": value["level"].get("moves")}

    def write(self, cleaned: dict[str, Any]) -> Draft:
        was = self.read(self.value)
        chosen, moves = cleaned["level"], cleaned.get("moves")
        if chosen == was["level"]:
            level = dict(self.value["level"])
        else:
            level = dict(self.library[chosen][1])
            # A number that was not touched belongs to the level that was there before.
            moves = level.get("moves") if moves == was["moves"] else moves
        if games()[level["game"]].info.default_moves is not None and moves is not None:
            level["moves"] = moves
        return {"key": cleaned["key"], "level": level, **self.other_keys()}

    def other_keys(self) -> Draft:
        return {key: entry for key, entry in self.value.items() if key not in {"key", "level", "random"}}

    def check(self, value: Draft) -> None:
        parse_round(value, "")

    @property
    def own_board(self) -> list[str]:
        board: list[str] = self.value["level"]["board"]
        return board


class RandomForm(PartForm):
    """A round on a board that is drawn for each participant."""

    settled: ClassVar[tuple[str, ...]] = ("rows", "cols", "colours", "moves")

    def make_fields(self) -> dict[str, forms.Field]:
        found = games()
        sizes = [span for game in found.values() for span in game.info.sizes]
        colours = [span for game in found.values() for span in game.info.colours]
        bounds = "; ".join(
            f"{game.info.title}: {game.info.colours[0]} to {game.info.colours[1]}" for game in found.values()
        )
        moves = whole("Moves", 1, 1_000, help_text="How many moves a round has. Only for Match-3.")
        moves.required = False
        return {
            "game": forms.ChoiceField(
                label="Game",
                choices=[(name, game.info.title) for name, game in found.items()],
                widget=forms.RadioSelect,
            ),
            "rows": whole("Rows", min(sizes), max(sizes)),
            "cols": whole("Columns", min(sizes), max(sizes)),
            "colours": whole("Colours", min(colours), max(colours), help_text=bounds),
            "moves": moves,
            "key": key_field(),
        }

    def read(self, value: Draft) -> dict[str, Any]:
        return {"key": value["key"], **value["random"]}

    def write(self, cleaned: dict[str, Any]) -> Draft:
        was = self.value["random"]
        if cleaned["game"] != was["game"] and all(cleaned.get(name) == was.get(name) for name in self.settled):
            # A size that was not touched belongs to the game that was there before.
            return {**self.value, "key": cleaned["key"], "random": random_board(cleaned["game"])}
        drawn = {name: cleaned[name] for name in ("game", "rows", "cols", "colours")}
        usual = games()[cleaned["game"]].info.default_moves
        if usual is not None:
            drawn["moves"] = cleaned.get("moves") or usual
        return {**self.value, "key": cleaned["key"], "random": drawn}

    def check(self, value: Draft) -> None:
        parse_round(value, "")


QUESTION_FORMS: dict[str, type[PartForm]] = {
    "choice": ChoiceForm,
    "scale": ScaleForm,
    "number": NumberForm,
    "text": TextForm,
}
ENTRY_FORMS: dict[str, dict[str, type[PartForm]]] = {
    "items": QUESTION_FORMS,
    "after_round": QUESTION_FORMS,
    "scores": {"score": ScoreForm},
    "rounds": {"level": LevelForm, "random": RandomForm},
}
