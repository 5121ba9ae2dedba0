"""Games that show how a persona plays: random boards, beside vanilla and random play on the same ones."""

from engine.game import get_game
from personas.agent import load_agent
from personas.evolution.config import usual_size
from playtest.accounts.models import User
from playtest.evolution.models import PersonaVersion
from playtest.levels.models import PlaytestReport, Trigger
from playtest.levels.services import DrawnBoards, agent_spec_ensure, playtest_request_drawn

SHOWCASE_GAMES = 100
BESIDE = ("vanilla", "random")


def persona_showcase(*, version: PersonaVersion, requested_by: User) -> PlaytestReport:
    """The report in which this version plays; the same one if it was asked for before. Raises PlaytestError."""
    game = version.agent_spec.game or version.persona.game
    rows, cols, colours = usual_size(game)
    # As it thinks everywhere else; vanilla gets as much.
    iterations = int(version.agent_spec.spec["search"]["iterations"])
    beside = [agent_spec_ensure(document=load_agent(name, game=game).document) for name in BESIDE]
    return playtest_request_drawn(
        drawn=DrawnBoards(game, rows, cols, colours, get_game(game).info.default_moves),
        agent_specs=[version.agent_spec, *beside],
        games=SHOWCASE_GAMES,
        iterations=iterations,
        trigger=Trigger.SHOWCASE,
        requested_by=requested_by,
    )
