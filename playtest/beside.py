"""Two games on the same boards, stepped together: what the page `templates/beside.html` shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from playtest.replay import Replay, Step


@dataclass(frozen=True)
class TraceShown:
    """A game that a page can show. `key` names it in an address."""

    key: str
    label: str
    role: str
    replay: Replay


def beside_context(
    query: Mapping[str, str], choices: Sequence[tuple[str, str]], find: Callable[[str], TraceShown | None]
) -> dict[str, Any]:
    """What the page shows of the games that `one` and `other` of the address name, else of the first to choose.

    `choices` are keys and labels, `find` gives the game of a key. Where there are no two games, or they are on other
    boards, the page has only the choice. Rows hold for each step the steps of both games, None where one is over.
    """
    # One game may be the best and the median of few: it is offered once, under its first name.
    choices = list({key: (key, label) for key, label in reversed(choices)}.values())[::-1]
    keys = [key for key, _ in choices]
    one = find(query.get("one", "")) or next(map(find, keys), None)
    other = find(query.get("other", "")) or next((find(key) for key in keys if one is None or key != one.key), None)
    added = {trace.key: f"{trace.label}: {trace.replay.score:,}" for trace in (one, other) if trace is not None}
    offered = [*((key, label) for key, label in added.items() if key not in keys), *choices]
    context: dict[str, Any] = {"choices": offered, "one": one, "other": other, "rows": []}
    if one is None or other is None:
        return context
    if one.replay.level.content_hash() != other.replay.level.content_hash():
        return context | {"is_unlike": True}
    rows: list[tuple[Step | None, Step | None]] = list(zip_longest(one.replay.steps, other.replay.steps))
    return context | {
        "rows": list(enumerate(rows, start=1)),
        "sides": [(f"replay-{place}", trace) for place, trace in (("one", one), ("other", other))],
        "documents": [(f"replay-{place}", trace.replay.to_json()) for place, trace in (("one", one), ("other", other))],
    }
