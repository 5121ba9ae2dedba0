"""Par: the best play of a board that any search has found, and what others reach as a share of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, Q

from engine.game import get_game
from engine.level import parse_level
from engine.solving import get_solver
from playtest.accounts.models import User
from playtest.leases import LeaseState
from playtest.levels.models import UNFINISHED_SEARCH, LevelVersion, ParSearch, PlaytestReport, Restart, SearchState
from playtest.levels.people import Observed, people_observed
from playtest.levels.selectors import EntryShown, is_unfinished
from playtest.replay import Replay, replay_game, steps_of_codes

SEARCHES_SHOWN = 20


@dataclass(frozen=True)
class Par:
    """The restart that found the best play of a board, the first of those with as many points."""

    restart: Restart

    @property
    def score(self) -> int:
        assert self.restart.score is not None
        return self.restart.score

    @property
    def solver(self) -> str:
        """The solver's name in words."""
        title = get_solver(self.restart.search.solver).title
        return title[:1].lower() + title[1:]

    @property
    def moves(self) -> int:
        return len(self.restart.codes or ())

    @property
    def found(self) -> str:
        return found_words(self.restart)

    @property
    def percent_a_point(self) -> float | None:
        """What part of par a point is; None where par is no gain, so that nothing is a part of it."""
        return 100 / self.score if self.score > 0 else None


@dataclass(frozen=True)
class ShareRow:
    """Somebody's scores in per cent of par. `mean` and `best` are None where the page does not know them."""

    role: str
    label: str
    mean: float | None
    median: float
    best: float | None


def has_par(game: str) -> bool:
    """Whether there is a best play to look for: where pieces fall in by chance there is none."""
    return get_game(game).info.chance == "none"


def pars_of(board_keys: Iterable[str]) -> dict[str, Par]:
    """Par of each of these boards that has one, by the rules of today and by its key (`board_key.py`)."""
    found = Restart.objects.filter(search__boards_hash__in=set(board_keys), score__isnull=False).defer("codes")
    best: dict[str, Restart] = {}
    for row in found.select_related("search__level_version").order_by("-score", "id"):
        if row.search.game_version == get_game(row.search.level_version.game).info.version:
            best.setdefault(row.search.boards_hash, row)
    return {key: Par(row) for key, row in best.items()}


def par_of(board_key: str) -> Par | None:
    return pars_of([board_key]).get(board_key)


def searches_on(*, board_key: str) -> list[ParSearch]:
    """Searches on this board, the newest first."""
    found = ParSearch.objects.filter(boards_hash=board_key).select_related("level_version", "requested_by")
    restarts = Prefetch("restarts", Restart.objects.defer("codes"))
    return list(found.prefetch_related(restarts).order_by("-id")[:SEARCHES_SHOWN])


def search_newest(*, board_key: str) -> ParSearch | None:
    return ParSearch.objects.filter(boards_hash=board_key).order_by("-id").first()


def search_is_visible(user: User, pk: int) -> bool:
    """Every member of the staff may see every search that exists."""
    return ParSearch.objects.filter(pk=pk).exists()


@dataclass(frozen=True)
class SearchShown:
    """A search with what its restarts have found and how far they are. `best` is None before the first play."""

    search: ParSearch
    best: int | None
    percent: int
    is_searched: bool
    """Whether time of search is gone."""

    @property
    def is_unfinished(self) -> bool:
        return self.search.state in UNFINISHED_SEARCH

    @property
    def has_begun(self) -> bool:
        return self.search.state != SearchState.WAITING

    @property
    def is_preparing(self) -> bool:
        """Whether a worker has taken it up and does not search yet: it loads or compiles what the solver needs."""
        return self.search.state == SearchState.RUNNING and not self.is_searched


def search_shown(search: ParSearch) -> SearchShown:
    restarts = list(search.restarts.all())
    scores = [one.score for one in restarts if one.score is not None]
    gone = sum(1.0 if one.state == LeaseState.DONE else one.spent for one in restarts)
    return SearchShown(search, max(scores, default=None), int(100 * gone / len(restarts)), is_searched=gone > 0)


def found_words(restart: Restart) -> str:
    """After how much search the best play of a restart was found: within the restart, and with all that was before.

    Whoever has several workers has several restarts at a time: those with a smaller number count as if they had ended.
    """
    assert restart.found_after is not None
    search = restart.search
    if search.is_shipped:
        return f"in a search of {_duration(restart.found_after)}, before it came with the program"
    earlier = Restart.objects.filter(
        Q(search__lt=search) | Q(search=search, number__lt=restart.number),
        search__boards_hash=search.boards_hash,
        search__started_at__isnull=False,
    )
    before = sum(
        seconds if state == LeaseState.DONE and seconds is not None else spent * limit
        for state, seconds, spent, limit in earlier.values_list("state", "seconds", "spent", "limit")
    )
    if not before:
        return f"after {_duration(restart.found_after)} of search"
    where = f" of restart {restart.number + 1} of {search.restarts_total}" if search.restarts_total > 1 else ""
    return (
        f"after {_duration(restart.found_after)}{where}, "
        f"{_duration(before + restart.found_after)} with all search on this board before it"
    )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s" if rest else f"{minutes:,} min"


def share_rows(par: Par, entries: Sequence[EntryShown], people: Observed | None = None) -> list[ShareRow]:
    """Scores of people and agents as shares of par; none where par is no gain.

    people: of them only quartiles and the median of their own means are known here
    """
    percent = par.percent_a_point
    if percent is None:
        return []
    rows = [] if people is None else [ShareRow("people", "People", None, percent * people.median, None)]
    return rows + [
        ShareRow(
            role=one.role,
            label=one.label,
            mean=percent * one.figures.mean,
            median=percent * one.figures.median,
            best=percent * one.figures.most,
        )
        for one in entries
        if one.figures
    ]


def par_context(
    version: LevelVersion, report: PlaytestReport | None = None, entries: Sequence[EntryShown] = ()
) -> dict[str, Any]:
    """What `levels/_par.html` and `_par_fact.html` show; nothing for a game without par.

    report: the one whose entries' scores are shown as shares of par; the part follows it until it is played
    """
    if not has_par(version.game):
        return {"has_par": False}
    par = par_of(version.board_key)
    searches = [search_shown(one) for one in searches_on(board_key=version.board_key)]
    people = people_observed(game=version.game, level_hash=version.hash) if par else None
    shares = share_rows(par, entries, people) if par else []
    search = searches[0] if searches else None
    topics = []
    if search is not None and search.is_unfinished:
        topics.append(f"search:{search.search.pk}")
    if report is not None and is_unfinished(report):
        topics.append(f"report:{report.pk}")
    return {
        "has_par": True,
        "par": par,
        "searches": searches,
        "search": search,
        "shares": shares,
        "par_people": people,
        "is_beaten": any(row.best is not None and row.best > 100 for row in shares),
        "par_topics": " ".join(topics),
        "par_rev": par_rev(search.search if search else None, report),
        "par_fact_rev": par_rev(search.search if search else None, None),
        "par_report": report,
    }


def par_fact_context(version: LevelVersion) -> dict[str, Any]:
    """What `levels/_par_fact.html` shows, as `par_context` has it."""
    if not has_par(version.game):
        return {"has_par": False}
    search = search_newest(board_key=version.board_key)
    return {
        "has_par": True,
        "par": par_of(version.board_key),
        "search": search_shown(search) if search else None,
        "par_fact_rev": par_rev(search, None),
    }


def par_rev(search: ParSearch | None, report: PlaytestReport | None) -> str:
    """What changes whenever the part of a page that shows par has something newer to show."""
    return "-".join(f"{one.pk}.{one.rev}" if one else "0" for one in (search, report))


def restart_replay(restart: Restart) -> Replay | None:
    """The best play of a restart, move by move; None before it has one."""
    if restart.codes is None:
        return None
    search = restart.search
    moves = steps_of_codes(restart.codes, score=restart.score)
    return replay_game(parse_level(search.level_version.document), moves, game_version=search.game_version)
