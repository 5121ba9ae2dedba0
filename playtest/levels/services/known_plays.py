"""Par that comes with the program: the best known plays of shipped levels, as searches that were made before."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from engine.game import get_game
from playtest.leases import LeaseState
from playtest.levels.models import LevelVersion, ParSearch, Restart, SearchState
from playtest.levels.shipped_pars import KnownPlay, known_plays


def known_plays_ensure(*, versions: Sequence[LevelVersion]) -> int:
    """Store the best known plays of these versions where nothing as good is known here; gives their number.

    Safe to repeat, and one query where nothing is missing. What searches here found stays, and is par if it is better.
    """
    wanted = {version.board_key: version for version in versions}
    plays = [play for play in known_plays() if play.key in wanted and _is_by_the_rules_of_today(play, wanted)]
    found = Restart.objects.filter(search__boards_hash__in=[play.key for play in plays], score__isnull=False)
    rows = found.values("search__boards_hash", "search__game_version").annotate(best=Max("score")).order_by()
    best = {(row["search__boards_hash"], row["search__game_version"]): row["best"] for row in rows}
    missing = [play for play in plays if best.get((play.key, play.game_version), play.score - 1) < play.score]
    if missing:
        _store([(play, wanted[play.key]) for play in missing])
    return len(missing)


def _is_by_the_rules_of_today(play: KnownPlay, versions: dict[str, LevelVersion]) -> bool:
    return play.game_version == get_game(versions[play.key].game).info.version


@transaction.atomic
def _store(plays: Sequence[tuple[KnownPlay, LevelVersion]]) -> None:
    searches = ParSearch.objects.bulk_create(
        ParSearch(
            level_version=version,
            boards_hash=play.key,
            game_version=play.game_version,
            solver=play.solver,
            parameters={},
            seconds=max(1, round(play.seconds)),
            seed=0,
            state=SearchState.DONE,
            restarts_total=1,
            restarts_done=1,
        )
        for play, version in plays
    )
    Restart.objects.bulk_create(
        Restart(
            search=search,
            number=0,
            limit=play.seconds,
            spent=1.0,
            score=play.score,
            codes=list(play.codes),
            cleared=play.cleared,
            found_after=play.seconds,
            state=LeaseState.DONE,
            seconds=play.seconds,
        )
        for search, (play, _) in zip(searches, plays, strict=True)
    )
