"""The tables of an export, one row a thing that happened, and what each column means. `wide.py` has the wide one."""

from playtest.studies.choices import (
    OUTCOME_NAMES,
    AttemptReason,
    Cause,
    Decision,
    EndReason,
    EventKind,
    InputMode,
    Missing,
    MoveFlag,
    MoveKind,
    Purpose,
    RoundState,
    Status,
    Use,
)
from playtest.studies.export.columns import Column, Table, Type, words
from playtest.studies.export.options import EXPORTED_KINDS

WITHHELD = "withheld"
"""In the place of a reason for a missing answer: there is one, and this export leaves it out."""

TOO_FEW = "too few"
"""In the place of a reason for a missing score."""

PARTICIPANT = Column(
    "participant",
    Type.TEXT,
    "Who: the participant's code; in an anonymised export a random id, new in each export",
)
KIND = Column(
    "kind",
    Type.TEXT,
    "What the participant is; previews are never exported",
    values=words(kind.label for kind in EXPORTED_KINDS),
)
ROUND = Column("round", Type.TEXT, "The round: participant, position and attempt")
USE = Column(
    "use",
    Type.TEXT,
    "Whether the figures of the site count it; staff exclude with a reason, and a participant with all their rounds",
    values=words(Use.labels),
)
USE_REASON = Column("use_reason", Type.TEXT, "Why staff decided so; empty if nobody did", private=True)
INPUT = Column("input", Type.TEXT, "How the action was entered", values=f"{words(InputMode.labels)}; empty: not known")
THINK = Column(
    "think_ms",
    Type.INTEGER,
    "From the board being open for input to the deciding input, without animation, by the browser's clock",
    unit="ms",
    values="empty: the browser gave none, or none that can be",
)

EXTENSIONS = Column("extensions", Type.INTEGER, "How often the participant asked for more time in the round and got it")

AFTER_ROUND = (
    Column(
        "position",
        Type.INTEGER,
        "Position of the round that it was asked after, as in the table rounds",
        values="empty: it was asked after no round",
    ),
    Column("round_key", Type.TEXT, "Key of that round", values="empty: it was asked after no round"),
)

PARTICIPANTS = Table(
    "participants",
    "One row for everybody who started and did not withdraw.",
    (
        PARTICIPANT,
        KIND,
        Column("version", Type.INTEGER, "Version of the study that the participant saw"),
        Column(
            "status",
            Type.TEXT,
            "How far the participant is",
            values=words(status.label for status in Status if status != Status.WITHDRAWN),
        ),
        USE,
        USE_REASON,
        Column("outcome", Type.TEXT, "How the participation ended; empty before", values=words(OUTCOME_NAMES.values())),
        Column(
            "outcome_code",
            Type.TEXT,
            "The completion code that the study gives for this outcome; empty if it gives none",
            private=True,
        ),
        Column("language", Type.TEXT, "Language of the pages, as an IETF tag"),
        Column("rounds_done", Type.INTEGER, "Scored rounds played to the end"),
        Column("assignment", Type.INTEGER, "Number in the order of assignments of the kind", private=True),
        Column("recruiter", Type.TEXT, "Service that sent the participant", private=True),
        Column("recruiter_id", Type.TEXT, "The participant's id there", private=True),
        Column(
            "link_label",
            Type.TEXT,
            "Label of the link by which the participant started",
            values="empty: a link without a label, or the plain address of the study",
            private=True,
        ),
        Column("link_comment", Type.TEXT, "What staff noted about that link", private=True),
        Column("query", Type.JSON, "Parameters of the link: a list of values for each name", private=True),
        Column("seed", Type.INTEGER, "Seed of order and boards, below 2^53", private=True),
        Column("started_at", Type.TIME, "When the participant started"),
        Column("last_seen_at", Type.TIME, "When the participant was last heard of"),
        Column("finished_at", Type.TIME, "When the participant came to an end, whichever it was"),
        Column(
            "ends_at",
            Type.TIME,
            "When the time for the study is or was up, with all that was given on top",
            values="empty: before the consent, and without such a limit",
        ),
        Column("extensions", Type.INTEGER, "How often the participant asked for more time for the study and got it"),
        Column("given_minutes", Type.INTEGER, "More time for the study that staff gave", unit="min"),
    ),
)

ROUNDS = Table(
    "rounds",
    "One row a round, those not begun yet too: they were fixed at assignment.",
    (
        ROUND,
        PARTICIPANT,
        KIND,
        Column("version", Type.INTEGER, "Version of the study"),
        Column("page", Type.TEXT, "Key of the page of the study"),
        Column("key", Type.TEXT, "Key of the round in the study file"),
        Column("purpose", Type.TEXT, "Whether it counts", values=words(Purpose.labels)),
        Column("position", Type.INTEGER, "Place among the participant's rounds, from 1; 0 is practice"),
        Column(
            "attempt",
            Type.INTEGER,
            "Number of the attempt at this place, from 1; of practice, counted over all its pages",
        ),
        Column("game", Type.TEXT, "Game"),
        Column("game_version", Type.INTEGER, "Version of the game's rules by which it was played"),
        Column(
            "level",
            Type.JSON,
            "The level file as it was played: `board` is the start, top row first; `drops`, in Match-3, the pieces "
            "that fell into each column, first to fall first. Board, drops, moves and reshuffles give the round back",
        ),
        Column("level_hash", Type.TEXT, "SHA-256 of the level in full, with all that could fall, without its name"),
        Column("level_name", Type.TEXT, "Name of the level; empty if it was drawn"),
        Column(
            "state",
            Type.TEXT,
            "How far the round is",
            values=(
                f"{words(RoundState.labels)}. void: staff decided so, or it came to nothing, as where a question "
                "screens out; what was played is here and no figure counts it. The next attempt, where one was "
                "granted, has the same position"
            ),
        ),
        Column("reason", Type.TEXT, "Why it is over; empty while it is not", values=words(EndReason.labels)),
        USE,
        USE_REASON,
        Column("score", Type.INTEGER, "Score so far", unit="points"),
        Column("moves", Type.INTEGER, "Moves made so far, undone ones not counted"),
        Column("entries", Type.INTEGER, "Rows of this round in the table moves"),
        Column("attempts", Type.INTEGER, "Actions that were no move; the first 500 are in the table attempts"),
        Column("legal_mean", Type.NUMBER, "Mean of legal_before over the rows of kind move", unit="actions"),
        Column("think_ms", Type.INTEGER, "Sum of think_ms over the rows of the round", unit="ms"),
        Column(
            "replay_agrees",
            Type.FLAG,
            "Whether the moves, played again, gave every stored score",
            values="empty: the rules have a newer version, so it was not played again and `drops` is that of the level",
        ),
        Column("check", Type.TEXT, "Checksum of board, score and moves after the last move"),
        Column("started_at", Type.TIME, "When the round was opened"),
        Column("last_at", Type.TIME, "When the last move or attempt arrived"),
        Column("ended_at", Type.TIME, "When the round ended"),
        Column(
            "ends_at",
            Type.TIME,
            "When the time of the round is or was up, with all that was asked for on top",
            values="empty: before it was opened, and without a limit",
        ),
        EXTENSIONS,
    ),
)

MOVES = Table(
    "moves",
    "One row a move or undo, in order.",
    (
        ROUND,
        Column("seq", Type.INTEGER, "Number in the round, from 1 without gaps"),
        PARTICIPANT,
        Column("kind", Type.TEXT, "A move, or that the last move was taken back", values=words(MoveKind.labels)),
        Column(
            "action",
            Type.JSON,
            'Match-3: the two cells, first the one begun with; SameGame: a cell of the group; for an undo "undo". A '
            "cell is [row, column], from 0, row 0 on top. A bare number: a damaged row, whose level has no such action",
        ),
        Column("gained", Type.INTEGER, "Change of the score", unit="points"),
        Column("score_after", Type.INTEGER, "Score afterwards", unit="points"),
        Column("legal_before", Type.INTEGER, "Legal actions before it: swaps, or groups that can be removed"),
        Column("reshuffled", Type.JSON, "The board after a reshuffle, rows from the top; empty: there was none"),
        THINK,
        INPUT,
        Column("steps", Type.INTEGER, "Steps of the cascade; 1 without one"),
        Column("cleared", Type.INTEGER, "Pieces cleared"),
        Column("anim_ms", Type.INTEGER, "Drawing before the think time, by the browser's clock", unit="ms"),
        Column("hidden_ms", Type.INTEGER, "How much of the think time the page was hidden", unit="ms"),
        Column(
            "server_ms",
            Type.INTEGER,
            "From the server's last answer to the arrival, by the server's clock",
            unit="ms",
            values="empty: first action after a connection or a restart",
        ),
        Column("rtt_ms", Type.INTEGER, "Time to the server and back, as the browser measured it", unit="ms"),
        Column(
            "flags",
            Type.TEXT,
            "Doubts about times, separated by blanks",
            values=(
                "client_time: a time of the browser cannot be and is empty; clocks: the server counted over 2 s more "
                "than the browser accounts for"
            ),
        ),
        Column("connection", Type.INTEGER, "Number of the round's connection under which it was made"),
        Column("received_at", Type.TIME, "When it arrived"),
    ),
)
assert set(MoveFlag.labels) == {"client_time", "clocks"}, "the codebook explains each flag"

ATTEMPTS = Table(
    "attempts",
    "One row an action that was no move: the pieces went back and it cost nothing. At most 500 a round.",
    (
        ROUND,
        PARTICIPANT,
        Column("before_seq", Type.INTEGER, "Number that the move would have had"),
        Column("action", Type.JSON, "As in the table moves"),
        Column("reason", Type.TEXT, "Why it was no move", values=words(AttemptReason.labels)),
        THINK,
        INPUT,
        Column("received_at", Type.TIME, "When it arrived"),
    ),
)

ANSWERS = Table(
    "answers",
    "One row a question of a page that was sent in.",
    (
        PARTICIPANT,
        KIND,
        Column("version", Type.INTEGER, "Version of the study"),
        Column("page", Type.TEXT, "Key of the page"),
        *AFTER_ROUND,
        Column("item", Type.TEXT, "Key of the question; the codebook lists them with their words"),
        Column("value", Type.TEXT, "The answer as text; of a choice the value, not the words shown"),
        Column("number", Type.NUMBER, "The answer as a number, where it is one"),
        Column(
            "missing",
            Type.TEXT,
            "Why there is no answer",
            values=(
                f"{words(Missing.labels)} (no: there is one); {WITHHELD}: there is one, and it is free text or was "
                "marked sensitive, so the anonymised export leaves it out"
            ),
        ),
    ),
)

PAGES = Table(
    "pages",
    "One row a page that was sent in: a questionnaire, the questions after a round, or practice that was left.",
    (
        PARTICIPANT,
        Column("page", Type.TEXT, "Key of the page"),
        *AFTER_ROUND,
        Column(
            "shown_ms",
            Type.INTEGER,
            "How long it was shown, by the browser's clock, from when it was last loaded; a form that came back with "
            "errors adds up",
            unit="ms",
            values="empty: the browser sent none, or one that cannot be; `submitted_at` less `shown_at` is the most it "
            "can have been",
        ),
        Column("hidden_ms", Type.INTEGER, "How much of that the page was hidden", unit="ms"),
        Column("shown_at", Type.TIME, "When it was loaded, the first time where its form came back with errors"),
        Column("submitted_at", Type.TIME, "When it was sent in"),
    ),
)

SCORES = Table(
    "scores",
    "One row a score of a page of questions that was sent in. How each is made stands under Scores.",
    (
        PARTICIPANT,
        KIND,
        Column("version", Type.INTEGER, "Version of the study that the participant saw"),
        Column("page", Type.TEXT, "Key of the page"),
        *AFTER_ROUND,
        Column("scale", Type.TEXT, "Name of the scale that the page was made from", values="empty: it has none"),
        Column("score", Type.TEXT, "Key of the score, which is the subscale of a scale"),
        Column("answered", Type.INTEGER, "How many of its questions were answered"),
        Column("questions", Type.INTEGER, "How many it counts"),
        Column("value", Type.NUMBER, "What it comes to", values="empty: there is none, and `missing` says why"),
        Column(
            "missing",
            Type.TEXT,
            "Why there is no value",
            values=(
                f"no: there is one; {TOO_FEW}: fewer questions were answered than it needs; {WITHHELD}: it counts a "
                "question that was marked sensitive, so the anonymised export leaves it out"
            ),
        ),
    ),
)

EVENTS = Table(
    "events",
    "One row an event beside moves, in order: visibility, connections, settings. At most 2,000 a participant.",
    (
        PARTICIPANT,
        Column("round", Type.TEXT, "The round, as in the table rounds; empty outside of rounds"),
        Column("event", Type.TEXT, "What happened", values=words(EventKind.labels)),
        Column("client_ms", Type.INTEGER, "Since the page was loaded, by the browser's clock", unit="ms"),
        Column("connection", Type.INTEGER, "Number of the round's connection"),
        Column("data", Type.JSON, "What the browser or the server says about it", private=True),
        Column("received_at", Type.TIME, "When it arrived"),
    ),
)

TRANSITIONS = Table(
    "transitions",
    "One row a step of a participant from state to state.",
    (
        PARTICIPANT,
        Column("number", Type.INTEGER, "Number of the step, from 1"),
        Column("from", Type.TEXT, "State before; empty at the start", values=words(Status.labels)),
        Column("to", Type.TEXT, "State after", values=words(Status.labels)),
        Column("cause", Type.TEXT, "Whose doing it was", values=words(Cause.labels)),
        Column("at", Type.TIME, "When"),
    ),
)

CONSENTS = Table(
    "consents",
    "One row a decision about taking part. That of who withdrew stays, without anything about them.",
    (
        Column("participant", Type.TEXT, "Who, as in the other tables; empty after withdrawal"),
        Column("version", Type.INTEGER, "Version of the study"),
        # Anonymised, the file has no completion codes: by the hash of the whole one a short code could be found.
        Column("version_hash", Type.TEXT, "SHA-256 of the study file of that version", private=True),
        Column("text_hash", Type.TEXT, "SHA-256 of the words of the consent page"),
        Column("decision", Type.TEXT, "What was decided", values=words(Decision.labels)),
        Column("withdrawn", Type.FLAG, "Whether the participant withdrew later"),
        Column("at", Type.TIME, "When; after withdrawal only the day, in an anonymised export not even that"),
    ),
)

LONG_TABLES = (PARTICIPANTS, ROUNDS, MOVES, ATTEMPTS, ANSWERS, PAGES, SCORES, EVENTS, TRANSITIONS, CONSENTS)
