"""A bot's way through a study, page by page, from the link to the code at the end."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlsplit

import httpx

from engine.rng import draw_seed
from personas.agent import Agent, AgentError
from playtest.studies.bots.answers import Allowed, answers_drawn
from playtest.studies.bots.html import Page
from playtest.studies.bots.player import BotError, RoundPlayer, Tally
from playtest.studies.choices import Kind
from playtest.studies.cookies import SOCKET_COOKIE
from playtest.studies.identity import MARKER_HEADER, start_marker

HTTP_SECONDS = 60.0
MOST_PAGES = 500


@dataclass
class Walk:
    """One bot. `run` goes through the whole study; `error` says why it did not finish."""

    number: int
    study_id: str
    url: str
    agents: Mapping[str, Agent]
    seed: int
    pace: float = 0.0
    allowed: Allowed = field(default_factory=dict)
    """Answers with which the study goes on, by page and question. Others are filled in by what the page shows."""
    tally: Tally = field(default_factory=Tally)
    code: str = ""
    error: str = ""
    seconds: float = 0.0
    new_player: Callable[..., RoundPlayer] = RoundPlayer

    @property
    def finished(self) -> bool:
        return bool(self.code) and not self.error

    async def run(self) -> None:
        started = time.monotonic()
        rng = Random(draw_seed(self.seed, "answers", self.number))
        headers = {"Referer": f"{self.url}/s/{self.study_id}/", "Accept": "text/html"}
        try:
            async with httpx.AsyncClient(
                base_url=self.url, headers=headers, follow_redirects=True, timeout=HTTP_SECONDS
            ) as client:
                await self.follow(client, rng)
        except (BotError, AgentError) as error:
            self.error = str(error)
        except httpx.HTTPError as error:
            self.error = f"the server does not answer ({type(error).__name__})"
        self.seconds = time.monotonic() - started

    async def follow(self, client: httpx.AsyncClient, rng: Random) -> None:
        """From page to page, doing on each what it asks for."""
        marker = start_marker(study_id=self.study_id, kind=Kind.BOT)
        path, page = self.read(await client.get(f"/s/{self.study_id}/", headers={MARKER_HEADER: marker}))
        path, page = await self.send(client, page, "/start", {"marker": marker})
        for _ in range(MOST_PAGES):
            if path.endswith("/consent"):
                path, page = await self.send(client, page, "/consent", {"decision": "agree"})
            elif "/page/" in path:
                form = page.form(path)
                known = answers_drawn(self.allowed.get(path.rpartition("/")[2], {}), rng)
                path, page = await self.send(client, page, path, {**(form.filled(rng) if form else {}), **known})
            elif path.endswith("/play") and "play-config" not in page.data:
                path, page = await self.send(client, page, "/practice", {"do": way_on(page)})
            elif path.endswith("/play"):
                path, page = await self.get(client, await self.play(client, page, rng))
            elif path.endswith("/end") and page.form("/finish"):
                path, page = await self.send(client, page, "/finish", {})
            elif path.endswith("/end"):
                # However the page goes on from here, a bot stays on the site.
                if "stat__value stat__value--ended" in page.texts:
                    raise BotError("the study ended for it before it was finished")
                self.code = page.texts.get("stat__value", "")
                if not self.code:
                    raise BotError("the last page shows no code")
                return
            else:
                raise BotError(f"it does not know what to do on {path}")
        raise BotError("the study has no end")

    async def play(self, client: httpx.AsyncClient, page: Page, rng: Random) -> str:
        """Play the round that is due; the address where it goes on."""
        config = page.data.get("play-config")
        token = next((cookie.value for cookie in client.cookies.jar if cookie.name == SOCKET_COOKIE), None)
        if config is None or token is None:
            raise BotError("the page of play is not complete")
        parts = urlsplit(self.url)
        player = self.new_player(
            address=f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}{config['ws']}",
            origin=self.url,
            cookie=f"{SOCKET_COOKIE}={token}",
            agents=dict(self.agents),
            seed=draw_seed(self.seed, "round", self.number, self.tally.rounds + self.tally.practised),
            pace=self.pace,
            tally=self.tally,
            rng=rng,
        )
        return await player.play()

    async def get(self, client: httpx.AsyncClient, path: str) -> tuple[str, Page]:
        return self.read(await client.get(path))

    async def send(
        self, client: httpx.AsyncClient, page: Page, ending: str, values: Mapping[str, str]
    ) -> tuple[str, Page]:
        form = page.form(ending)
        if form is None:
            raise BotError(f"there is no form for {ending} on the page")
        return self.read(await client.post(form.action, data={**form.hidden(), **values}))

    def read(self, response: httpx.Response) -> tuple[str, Page]:
        path = response.url.path
        if response.status_code != httpx.codes.OK:
            raise BotError(f"{path} answers {response.status_code}")
        return path, Page(response.text)


def way_on(page: Page) -> str:
    """After a round of practice: on, or where something is still to be tried, once more."""
    form = page.form("/practice")
    return "go_on" if form is not None and ("do", "go_on") in form.buttons else "again"
