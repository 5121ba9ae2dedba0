"""What a bot sees of a page: its forms, and the JSON that is meant for scripts."""

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz "


@dataclass
class Field:
    """An input. `options` are the values of radio buttons and of choices."""

    name: str
    kind: str
    value: str = ""
    options: list[str] = field(default_factory=list)


@dataclass
class Form:
    action: str
    method: str
    fields: dict[str, Field] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def hidden(self) -> dict[str, str]:
        return {entry.name: entry.value for entry in self.fields.values() if entry.kind == "hidden"}

    def filled(self, rng: Random) -> dict[str, str]:
        """Every question answered somehow: a choice by chance, a number, a few letters."""
        answers = self.hidden()
        for entry in self.fields.values():
            if entry.options:
                answers[entry.name] = rng.choice(entry.options)
            elif entry.kind == "number":
                answers[entry.name] = str(rng.randint(18, 80))
            elif entry.kind in {"text", "textarea"}:
                answers[entry.name] = "".join(rng.choice(LETTERS) for _ in range(12)).strip()
        return answers


class Page(HTMLParser):
    """A page that was read. `texts` holds what stands in elements with a class name, by that name."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self.data: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self._form: Form | None = None
        self._json_id: str | None = None
        self._class: str | None = None
        self.feed(text)
        self.close()

    def form(self, ending: str) -> Form | None:
        """The form that is sent to an address with that ending, apart from its parameters."""
        return next((form for form in self.forms if form.action.partition("?")[0].endswith(ending)), None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._class = values.get("class")
        if tag == "form":
            self._form = Form(values.get("action", ""), values.get("method", "get").lower())
            self.forms.append(self._form)
        elif tag == "script" and values.get("type") == "application/json":
            self._json_id = values.get("id")
        elif self._form is not None and tag in {"input", "textarea", "select", "button", "option"}:
            self._read_control(self._form, tag, values)

    def _read_control(self, form: Form, tag: str, values: dict[str, str]) -> None:
        name, value = values.get("name", ""), values.get("value", "")
        kind = values.get("type", "text") if tag == "input" else tag
        if tag == "button":
            form.buttons.append((name, value))
        elif tag == "option":
            last = next(reversed(form.fields.values()), None)
            if last is not None and value:
                last.options.append(value)
        elif name:
            entry = form.fields.setdefault(name, Field(name, kind, value))
            if kind == "radio":
                entry.options.append(value)

    def handle_endtag(self, tag: str) -> None:
        self._class = None
        if tag == "form":
            self._form = None
        elif tag == "script":
            self._json_id = None

    def handle_data(self, data: str) -> None:
        if self._json_id is not None:
            self.data[self._json_id] = json.loads(data)
        elif self._class and data.strip():
            self.texts[self._class] = data.strip()
