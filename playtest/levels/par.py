"""Par: the best play of a board that any search has found, and what others reach as a share of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch

from engine.game import get_game
from engine.level import parse_level
from engine.solving import get_solver
from playtest.accounts.models import User
from playtest.leases import LeaseState
from playtest.levels.models import UNFINISHED_SEARCH, LevelVersion, ParSearch, Restart, SearchState
from playtest.levels.selectors import EntryShown
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
    def percent_a_point(self) -> float | None:
        """What part of par a point is; None where par is no gain, so that nothing is a part of it."""
        return 100 / self.score if self.score > 0 else None


@dataclass(frozen=True)
class ShareRow:
    """An agent's scores in per cent of par."""

    role: str
    label: str
    mean: float
    median: float
    best: float


def has_par(game: str) -> bool:
    """Whether there is a best play to look for: where pieces fall in by chance there is none."""
    return get_game(game).info.chance == "none"


def pars_of(boards_hashes: Iterable[str]) -> dict[str, Par]:
    """Par of each of these boards that has one, by the rules of today."""
    found = Restart.objects.filter(search__boards_hash__in=set(boards_hashes), score__isnull=False).defer("codes")
    best: dict[str, Restart] = {}
    for row in found.select_related("search__level_version").order_by("-score", "id"):
        if row.search.game_version == get_game(row.search.level_version.game).info.version:
            best.setdefault(row.search.boards_hash, row)
    return {boards_hash: Par(row) for boards_hash, row in best.items()}


def par_of(boards_hash: str) -> Par | None:
    return pars_of([boards_hash]).get(boards_hash)


def searches_on(*, boards_hash: str) -> list[ParSearch]:
    """Searches on this board, the newest first."""
    found = ParSearch.objects.filter(boards_hash=boards_hash).select_related("level_version", "requested_by")
    restarts = Prefetch("restarts", Restart.objects.defer("codes"))
    return list(found.prefetch_related(restarts).order_by("-id")[:SEARCHES_SHOWN])


def search_is_visible(user: User, pk: int) -> bool:
    """Every member of the staff may see every search that exists."""
    return ParSearch.objects.filter(pk=pk).exists()


@dataclass(frozen=True)
class SearchShown:
    """A search with what its restarts have found and how far they are. `best` is None before the first play."""

    search: ParSearch
    best: int | None
    percent: int

    @property
    def is_unfinished(self) -> bool:
        return self.search.state in UNFINISHED_SEARCH

    @property
    def has_begun(self) -> bool:
        return self.search.state != SearchState.WAITING


def search_shown(search: ParSearch) -> SearchShown:
    restarts = list(search.restarts.all())
    scores = [one.score for one in restarts if one.score is not None]
    gone = sum(1.0 if one.state == LeaseState.DONE else one.spent for one in restarts)
    return SearchShown(search, max(scores, default=None), int(100 * gone / len(restarts)))


def share_rows(par: Par, entries: Sequence[EntryShown]) -> list[ShareRow]:
    """Agents' scores as shares of par; none where par is no gain."""
    percent = par.percent_a_point
    if percent is None:
        return []
    return [
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


def par_context(version: LevelVersion, entries: Sequence[EntryShown] = ()) -> dict[str, Any]:
    """What `levels/_par.html` shows; nothing for a game without par."""
    if not has_par(version.game):
        return {"has_par": False}
    par = par_of(version.hash)
    searches = [search_shown(one) for one in searches_on(boards_hash=version.hash)]
    shares = share_rows(par, entries) if par else []
    return {
        "has_par": True,
        "par": par,
        "searches": searches,
        "search": searches[0] if searches else None,
        "shares": shares,
        "is_beaten": any(row.best > 100 for row in shares),
    }


def restart_replay(restart: Restart) -> Replay | None:
    """The best play of a restart, move by move; None before it has one."""
    if restart.codes is None:
        return None
    search = restart.search
    moves = steps_of_codes(restart.codes, score=restart.score)
    return replay_game(parse_level(search.level_version.document), moves, game_version=search.game_version)
