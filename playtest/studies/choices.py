"""The enumerations of studies. The database keeps the number, exports write the name."""

from django.db import models


class Kind(models.IntegerChoices):
    """Who plays. Set when a participant starts, never changed; every figure about people asks for it."""

    PERSON = 1, "person"
    BOT = 2, "bot"
    PREVIEW = 3, "preview"


class StudyState(models.IntegerChoices):
    DRAFT = 1, "draft"
    OPEN = 2, "open"
    PAUSED = 3, "paused"
    CLOSED = 4, "closed"


class Admission(models.IntegerChoices):
    """Who may start an open study, and whether the start page of the site tells of it."""

    LISTED = 1, "listed"
    ADDRESS = 2, "address"
    LINKS = 3, "links"


class Status(models.IntegerChoices):
    """How far a participant is. The steps that are allowed stand in `services/transitions.py`."""

    STARTED = 1, "started"
    CONSENTED = 2, "consented"
    DECLINED = 3, "declined"
    ACTIVE = 4, "active"
    COMPLETED = 5, "completed"
    SCREENED_OUT = 6, "screened_out"
    TIMED_OUT = 7, "timed_out"
    RETURNED = 8, "returned"
    WITHDRAWN = 9, "withdrawn"


OUTCOME_NAMES = {
    Status.COMPLETED: "complete",
    Status.DECLINED: "declined",
    Status.SCREENED_OUT: "screened_out",
    Status.TIMED_OUT: "timed_out",
    Status.RETURNED: "returned",
}
"""How participations end, as the end page of a study names them. Who withdrew has none: nothing of them is left."""

AWAY = frozenset({Status.TIMED_OUT, Status.RETURNED})
"""Gave their place up, and may come back to where they were."""


class Cause(models.IntegerChoices):
    """Whose doing a transition was."""

    PARTICIPANT = 1, "participant"
    SYSTEM = 2, "system"
    STAFF = 3, "staff"


class SlotState(models.IntegerChoices):
    HELD = 1, "held"
    DONE = 2, "done"
    LOST = 3, "lost"


class LinkMode(models.IntegerChoices):
    OPEN = 1, "open"
    ONE_TIME = 2, "one_time"
    LABELLED = 3, "labelled"


class Decision(models.IntegerChoices):
    AGREED = 1, "agreed"
    DECLINED = 2, "declined"


class Missing(models.IntegerChoices):
    """Why there is no answer; `NO` says that there is one."""

    NO = 0, "no"
    SKIPPED = 1, "skipped"
    NOT_SHOWN = 2, "not_shown"


class Use(models.IntegerChoices):
    """Whether figures count a participant or a round. Without a decision they do."""

    INCLUDE = 1, "include"
    EXCLUDE = 2, "exclude"


class Purpose(models.IntegerChoices):
    PRACTICE = 1, "practice"
    SCORED = 2, "scored"


class RoundState(models.IntegerChoices):
    PLANNED = 1, "planned"
    OPEN = 2, "open"
    DONE = 3, "done"
    VOID = 4, "void"


BEGUN = frozenset({RoundState.OPEN, RoundState.DONE})
"""States of rounds that somebody plays or has played, and that count."""


class EndReason(models.IntegerChoices):
    """Why a round is over; the names are those of the protocol."""

    MOVES = 1, "moves"
    STUCK = 2, "stuck"
    TIME = 3, "time"
    LEFT = 4, "left"


class MoveKind(models.IntegerChoices):
    MOVE = 1, "move"
    UNDO = 2, "undo"


class InputMode(models.IntegerChoices):
    DRAG = 1, "drag"
    CLICK = 2, "click"
    KEY = 3, "key"
    TOUCH = 4, "touch"
    BOT = 5, "bot"


class AttemptReason(models.IntegerChoices):
    ILLEGAL = 1, "illegal"


class EventKind(models.IntegerChoices):
    """What is worth keeping beside moves. Those from CONNECT on are the server's own."""

    HIDDEN = 1, "hidden"
    VISIBLE = 2, "visible"
    FOCUS = 3, "focus"
    BLUR = 4, "blur"
    OFFLINE = 5, "offline"
    ONLINE = 6, "online"
    SETTINGS = 7, "settings"
    SHUFFLE_SHOWN = 8, "shuffle_shown"
    HINT_SHOWN = 9, "hint_shown"
    LIMIT_SHOWN = 10, "limit_shown"
    SKIPPED = 11, "skipped"
    PAGE_HIDE = 12, "page_hide"
    PAGE_SHOW = 13, "page_show"
    RESIZED = 14, "resized"
    HELP = 15, "help"
    CONNECT = 32, "connect"
    TAKEOVER = 33, "takeover"
    RESUME = 34, "resume"
    INCOMPLETE = 35, "incomplete"
    DROPPED = 36, "dropped"
    MORE_TIME = 37, "more_time"


SERVER_EVENTS = frozenset(kind for kind in EventKind if kind >= EventKind.CONNECT)


class MoveFlag(models.IntegerChoices):
    """Bits of `Move.flags`: a value that is doubtful, kept as it is or as NULL, never corrected."""

    CLIENT_TIME = 1, "client_time"
    """A time that the client gave was no integer from 0 to 86,400,000 and is stored as NULL."""
    CLOCKS = 2, "clocks"
    """The server's interval is over two seconds longer than what the client accounts for."""
