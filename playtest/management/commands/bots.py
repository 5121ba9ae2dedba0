"""Send bots through a study: participants that are programs, over real HTTP and WebSocket."""

import asyncio
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.db import DatabaseError
from tqdm import tqdm

from personas.agent import Agent, AgentError, load_agent
from playtest.management.plain import SEED_LIMIT, Error, PlainCommand, progress_bar, seconds, shortened, whole_number
from playtest.studies.bots.answers import answers_allowed
from playtest.studies.bots.walk import Walk
from playtest.studies.models import Study
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.studies import study_by_name

FAILED = 1
BAR_SECONDS = 0.5


class Command(PlainCommand):
    help = "Let bots go through a whole study. They are marked as bots wherever they appear."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="short name or public id, such as paper")
        parser.add_argument("--participants", type=whole_number(1, 100_000), required=True, metavar="N")
        parser.add_argument("--at-once", type=whole_number(1, 2_000), default=10, metavar="M", help="(10)")
        parser.add_argument("--agent", required=True, metavar="NAME", help="name or persona file, such as random")
        parser.add_argument("--url", required=True, metavar="URL", help="of the running site: http://127.0.0.1:8000")
        parser.add_argument("--seed", type=whole_number(0, SEED_LIMIT - 1), default=1, metavar="S", help="(1)")
        parser.add_argument(
            "--pace", type=seconds(0, 3600), default=0.0, metavar="SECONDS", help="between two moves (0)"
        )
        parser.add_argument("--json", action="store_true", help="JSON lines instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        url = self.read_url(options["url"])
        try:
            study = study_by_name(options["study"])
        except DatabaseError as error:
            raise Error(f"The database cannot be read ({error}). Start the site first.") from None
        if study is None or study.published is None:
            raise Error(f"There is no published study {shortened(options['study'])}.")
        agents = read_agents(options["agent"], study)
        self.check_site(url, study)
        allowed = answers_allowed(version_document(study.published))
        walks = [
            Walk(number, study.public_id, url, agents, options["seed"], options["pace"], allowed)
            for number in range(1, options["participants"] + 1)
        ]
        started = time.monotonic()
        with self.quiet_end("Bots that had started stay where they are."):
            rounds = len(walks) * version_document(study.published).round_count
            with progress_bar(rounds, "round") as bar:
                asyncio.run(self.run_all(walks, options["at_once"], bar, as_json=options["json"]))
            self.tell_summary(walks, time.monotonic() - started, as_json=options["json"])
        if not all(walk.finished for walk in walks):
            sys.exit(FAILED)

    def read_url(self, text: str) -> str:
        wrong = Error(f"{shortened(text)} is no address of a site; an example is http://127.0.0.1:8000.")
        try:
            parts = urlsplit(text)
            httpx.URL(text)
            # Reading the port checks it; a host name that DNS cannot hold has no such form.
            has_host = bool(parts.hostname and parts.hostname.encode("idna")) and parts.port != 0
        except (ValueError, httpx.InvalidURL):
            raise wrong from None
        has_more = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
        if parts.scheme not in {"http", "https"} or not has_host or has_more:
            raise wrong
        return f"{parts.scheme}://{parts.netloc}"

    def check_site(self, url: str, study: Study) -> None:
        try:
            answer = httpx.get(f"{url}/s/{study.public_id}/", timeout=30)
        except httpx.HTTPError as error:
            raise Error(f"{url} does not answer ({type(error).__name__}).") from None
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise Error(f"{url} does not know this study: it uses another database than {settings.VAR.name}.")
        if answer.status_code != httpx.codes.OK:
            raise Error(f"{url} answers {answer.status_code}.")

    async def run_all(self, walks: Sequence[Walk], at_once: int, bar: "tqdm[Any]", *, as_json: bool) -> None:
        waiting = iter(walks)

        async def keep_walking() -> None:
            for walk in waiting:
                await walk.run()
                with tqdm.external_write_mode(sys.stdout):
                    self.tell(walk, len(walks), as_json=as_json)

        async def keep_showing() -> None:
            while True:
                bar.n = sum(walk.tally.rounds for walk in walks)
                bar.set_postfix_str(f"{sum(walk.tally.moves for walk in walks):,} moves")
                await asyncio.sleep(BAR_SECONDS)

        showing = asyncio.create_task(keep_showing())
        await asyncio.gather(*(keep_walking() for _ in range(min(at_once, len(walks)))))
        showing.cancel()

    def tell(self, walk: Walk, total: int, *, as_json: bool) -> None:
        if as_json:
            self.write_json(
                {
                    "bot": walk.number,
                    "finished": walk.finished,
                    "error": walk.error or None,
                    "code": walk.code or None,
                    "rounds": walk.tally.rounds,
                    "points": walk.tally.points,
                    "moves": walk.tally.moves,
                    "reconnects": walk.tally.reconnects,
                    "seconds": round(walk.seconds, 3),
                }
            )
            return
        played = f"{walk.tally.rounds} rounds, {walk.tally.points:,} points, {walk.seconds:.1f} s"
        words = f"finished, {played}, code {walk.code}" if walk.finished else f"NOT finished: {walk.error} ({played})"
        self.stdout.write(f"Bot {walk.number} of {total}: {words}")
        self.stdout.flush()

    def tell_summary(self, walks: Sequence[Walk], seconds: float, *, as_json: bool) -> None:
        finished = sum(walk.finished for walk in walks)
        moves = sum(walk.tally.moves for walk in walks)
        answers = sorted(answer * 1000 for walk in walks for answer in walk.tally.answers)
        cuts = quantiles(answers, n=100) if len(answers) > 1 else [0.0] * 99
        if as_json:
            self.write_json(
                {
                    "participants": len(walks),
                    "finished": finished,
                    "moves": moves,
                    "seconds": round(seconds, 3),
                    "moves_a_second": round(moves / seconds, 1),
                    "ack_ms": {"p50": round(cuts[49], 2), "p99": round(cuts[98], 2)},
                }
            )
            return
        self.stdout.write(
            f"{finished} of {len(walks)} finished in {seconds:.1f} s. {moves:,} moves, {moves / seconds:,.0f} a second,"
            f" acknowledged after {cuts[49]:.1f} ms (half of them) and {cuts[98]:.1f} ms (99 of 100)."
        )


def read_agents(name: str, study: Study) -> dict[str, Agent]:
    """The agent for each game of the study, which can play all of its rounds; raises Error."""
    assert study.published is not None
    agents: dict[str, Agent] = {}
    try:
        for game in study.published.game_versions:
            agents[game] = load_agent(name, game=game)
            if agents[game].clairvoyant:
                raise Error(f"{name} looks at what will fall, which nobody who plays a study can.")
        document = version_document(study.published)
        played = [plan for page in document.practice_pages for plan in page.rounds]
        played += [plan for page, _ in document.rounds_pages() for plan in page.rounds]
        for plan in played:
            # A level that is drawn has the same game, size and moves from any seed.
            level = plan.level_for(0)
            agents[level.game].check_level(level)
    except AgentError as error:
        raise Error(str(error)) from None
    return agents
