"""The sentences that a screen reader says during play: one message a move, in the participant's language."""

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_noop, ngettext

from engine.round import Outcome, Undone

LIMIT = 200

REJECTIONS = {
    "illegal": gettext_noop("No match there. The pieces went back."),
    "not_adjacent": gettext_noop("These two pieces are not neighbours."),
    "off_board": gettext_noop("That is not on the board."),
    "bad_action": gettext_noop("That is not a move of this game."),
    "busy": gettext_noop("One moment, your last move is being saved."),
    "slow_down": gettext_noop("That was very fast. Please wait a moment."),
    "conflict": gettext_noop("This move was sent in two versions. The first one counts."),
    "stale_seq": gettext_noop("The board has changed meanwhile. Here is how it is now."),
    "gap": gettext_noop("The board has changed meanwhile. Here is how it is now."),
    "stale_round": gettext_noop("That was another round. Here is the one that you play."),
    "over": gettext_noop("This round is over."),
    "not_owner": gettext_noop("You are playing in another window."),
}

GROUP_ILLEGAL = gettext_noop("There is no group there: a group is two or more equal pieces side by side.")

NOTHING_TO_UNDO = gettext_noop("There is no move to take back.")

ERRORS = {
    "no_identity": gettext_noop("We do not know this browser. Please open the link of the study again."),
    "ended": gettext_noop("There is no round to play here. Your study page says why."),
    "malformed": gettext_noop("The page sent something that we do not understand."),
    "too_large": gettext_noop("The page sent more than we can take."),
    "binary": gettext_noop("The page sent something that we do not understand."),
    "version": gettext_noop("This page is out of date. Please reload it."),
    "too_many": gettext_noop("Too many messages at once. Please wait half a minute."),
    "storage": gettext_noop("Your move could not be saved yet. Nothing is lost, we try again."),
}


TIME_UP = gettext_noop("The time for this round is up.")


def say_error(code: str, language: str) -> str:
    with translation.override(language):
        return gettext(ERRORS[code])


def say_rejection(reason: str, language: str, *, gesture: str = "swap", undo: bool = False) -> str:
    with translation.override(language):
        if undo and reason == "bad_action":
            return gettext(NOTHING_TO_UNDO)
        return gettext(GROUP_ILLEGAL if (reason, gesture) == ("illegal", "group") else REJECTIONS[reason])


def say_state(
    *,
    position: int,
    count: int,
    left: int,
    score: int,
    over: bool,
    language: str,
    gesture: str = "swap",
    by_time: bool = False,
    time_left_ms: int | None = None,
    is_practice: bool = False,
) -> str:
    """Where one is: said when a board appears."""
    with translation.override(language):
        round_of = gettext("Round %(n)d of %(of)d.") % {"n": position, "of": count}
        parts = [gettext("Practice round.") if is_practice else round_of]
        if over:
            parts.append(gettext(TIME_UP if by_time else "This round is over."))
        else:
            parts.append(say_left(left, gesture))
        parts.append(
            ngettext("%(points)s point.", "%(points)s points.", abs(score)) % {"points": written(score)},
        )
        if time_left_ms is not None and not over:
            parts.append(gettext("Time left: %(time)s.") % {"time": say_duration(time_left_ms)})
        return " ".join(parts)[:LIMIT]


def say_limit(*, left_ms: int, more_ms: int, was_extended: bool, language: str) -> str:
    """How much time is left, and what can be had on top."""
    with translation.override(language):
        time = {"time": say_duration(left_ms)}
        text = gettext("You have more time: %(time)s left.") if was_extended else gettext("Time left: %(time)s.")
        parts = [text % time]
        if more_ms and not was_extended:
            parts.append(
                gettext("The button “More time” gives you %(time)s more.") % {"time": say_duration(more_ms)},
            )
        return " ".join(parts)[:LIMIT]


def say_duration(ms: int) -> str:
    """Minutes and seconds. Seconds are rounded; of long times, so are minutes."""
    minutes, seconds = divmod(round(ms / 1000), 60)
    if minutes >= 10:
        minutes, seconds = minutes + (seconds >= 30), 0
    parts = [ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}] if minutes else []
    if seconds or not minutes:
        parts.append(ngettext("%(count)d second", "%(count)d seconds", seconds) % {"count": seconds})
    return " ".join(parts)


def say_move(outcome: Outcome, *, left: int, language: str, gesture: str = "swap") -> str:
    """What a move did. One sentence for all its steps, then what is left."""
    with translation.override(language):
        parts = say_removal(outcome) if gesture == "group" else [say_matches(outcome)]
        if outcome.reshuffled is not None:
            parts.append(gettext("No moves were left, the pieces were shuffled."))
        if outcome.over is not None:
            total = ngettext(
                "The round is over with %(points)s point.",
                "The round is over with %(points)s points.",
                abs(outcome.score),
            )
            parts.append(total % {"points": written(outcome.score)})
        else:
            parts.append(say_left(left, gesture))
        return " ".join(parts)[:LIMIT]


def say_undo(undone: Undone, *, left: int, language: str, gesture: str = "swap") -> str:
    """That the last move was taken back, and where one is now."""
    with translation.override(language):
        points = ngettext("%(points)s point.", "%(points)s points.", abs(undone.score))
        parts = [
            gettext("Your last move was taken back."),
            say_left(left, gesture),
            points % {"points": written(undone.score)},
        ]
        return " ".join(parts)[:LIMIT]


def say_hint(cells: list[list[int]], *, language: str, gesture: str = "swap") -> str:
    """Which move is shown: its two cells, or where the group begins and how many pieces it has."""
    with translation.override(language):
        (row, col), last = cells[0], cells[-1]
        if gesture == "group":
            text = gettext("Hint: the group of %(pieces)d at row %(row)d, column %(col)d.")
            return text % {"pieces": len(cells), "row": row + 1, "col": col + 1}
        text = gettext("Hint: swap row %(row)d, column %(col)d with row %(to_row)d, column %(to_col)d.")
        return text % {"row": row + 1, "col": col + 1, "to_row": last[0] + 1, "to_col": last[1] + 1}


def say_matches(outcome: Outcome) -> str:
    if outcome.steps > 1:
        text = ngettext(
            "Cascade of %(steps)d steps, %(matches)d matches, %(points)s point.",
            "Cascade of %(steps)d steps, %(matches)d matches, %(points)s points.",
            outcome.gained,
        )
    elif outcome.matches > 1:
        text = ngettext(
            "%(matches)d matches at once, %(points)s point.",
            "%(matches)d matches at once, %(points)s points.",
            outcome.gained,
        )
    else:
        text = ngettext(
            "Matched %(cleared)d, %(points)s point.", "Matched %(cleared)d, %(points)s points.", outcome.gained
        )
    points = written(outcome.gained)
    return text % {"steps": outcome.steps, "matches": outcome.matches, "cleared": outcome.cleared, "points": points}


def say_removal(outcome: Outcome) -> list[str]:
    """A removed group, and apart from it what the end of the game added or deducted."""
    bonus = next((frame for frame in outcome.frames if frame["f"] == "bonus"), None)
    gained = outcome.gained - (bonus["points"] if bonus else 0)
    text = ngettext("Removed %(cleared)d, %(points)s point.", "Removed %(cleared)d, %(points)s points.", gained)
    parts = [text % {"cleared": outcome.cleared, "points": written(gained)}]
    if bonus is not None and bonus["why"] == "empty":
        text = ngettext(
            "The board is empty: %(points)s point more.", "The board is empty: %(points)s points more.", bonus["points"]
        )
        parts.append(text % {"points": written(bonus["points"])})
    elif bonus is not None and bonus["points"]:
        text = ngettext(
            "The pieces left cost %(points)s point.", "The pieces left cost %(points)s points.", -bonus["points"]
        )
        parts.append(text % {"points": written(-bonus["points"])})
    return parts


def say_left(left: int, gesture: str) -> str:
    if gesture == "group":
        return ngettext("%(left)d group left.", "%(left)d groups left.", left) % {"left": left}
    return ngettext("%(left)d move left.", "%(left)d moves left.", left) % {"left": left}


def written(number: int) -> str:
    """A number with its thousands marked as the language does."""
    return number_format(number, use_l10n=True, force_grouping=True)
