"""Chromium against the real site. Whatever the console or the policy complains about fails the test of that page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright

from tests.run import find_chromium
from tests.site import RunningSite, running_site

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
AXE_OPTIONS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests never run a second time on other servers."""
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.browser)


@dataclass(frozen=True)
class Site:
    """The running site and how to get in."""

    url: str
    username: str
    password: str
    study_url: str
    running: RunningSite


# All three last as long as this folder's tests and no longer: while Playwright runs, its thread counts as one with a
# running event loop, and the asynchronous tests that follow in the same process could not start theirs.
@pytest.fixture(scope="package")
def site() -> Iterator[Site]:
    """The real site, started with `manage.py up` on a free port in a folder of its own."""
    # Participants are sent back to the site itself: no test leaves this machine.
    hosts = {"TESSERA_COMPLETION_HOSTS": "app.prolific.com,localhost"}
    with running_site("--workers", "1", environment=hosts) as running:
        username, password = running.login()
        yield Site(running.url, username, password, running.study_url(), running)


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    path = find_chromium()
    assert path is not None, "The browser tests need Chromium; `make test` finds or installs it."
    browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
    yield browser
    browser.close()


class Problems:
    """What the pages of a test complained about. A test that provokes a complaint says so with `expect`."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.expected: list[str] = []

    def expect(self, words: str) -> None:
        """Messages that contain `words` are the point of this test."""
        self.expected.append(words)

    def watch(self, page: Page) -> None:
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.found.append(f"error: {error}"))
        # Not every violation reaches the console as an error.
        page.add_init_script(
            "addEventListener('securitypolicyviolation', e => "
            "console.error(`policy violation: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`))"
        )

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.found.append(f"{message.text} ({message.location.get('url', '')})")

    def unexpected(self) -> list[str]:
        return [text for text in self.found if not any(words in text for words in self.expected)]


@pytest.fixture
def problems() -> Iterator[Problems]:
    problems = Problems()
    yield problems
    assert not problems.unexpected(), "\n".join(problems.unexpected())


PageMaker = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser, site: Site, problems: Problems) -> Iterator[PageMaker]:
    """Makes pages, each in a context of its own (its own cookies) unless one is given.

    `new_page()` is a desk of 1280 pixels, `new_page(**PHONE)` a phone of 390; further words go to the context.
    """
    contexts: list[BrowserContext] = []

    def make(*, context: BrowserContext | None = None, **options: Any) -> Page:
        if context is None:
            context = browser.new_context(base_url=site.url, **{**DESKTOP, **options})
            context.set_default_timeout(15_000)
            contexts.append(context)
        page = context.new_page()
        problems.watch(page)
        return page

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page: PageMaker) -> Page:
    """A desk."""
    return new_page()


@pytest.fixture
def phone(new_page: PageMaker) -> Page:
    """A phone with touch."""
    return new_page(**PHONE)


@pytest.fixture
def staff_page(page: Page, site: Site) -> Page:
    """A desk where the first admin is signed in."""
    sign_in(page, site)
    return page


def sign_in(page: Page, site: Site) -> None:
    page.goto("/staff/login/")
    page.get_by_label("Username").fill(site.username)
    page.get_by_label("Password").fill(site.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/staff/")


@pytest.fixture
def axe() -> Callable[[Page], None]:
    """`axe(page)` fails on what the page keeps from people with disabilities (WCAG 2.2 A and AA)."""

    def check(page: Page) -> None:
        # Colours on their way from one theme to the other are in neither.
        page.evaluate(
            """() => Promise.allSettled(document.getAnimations()
                .filter(animation => animation.effect.getComputedTiming().endTime !== Infinity)
                .map(animation => animation.finished))"""
        )
        # Injected through the debugger, so the page's own policy stays as it is.
        results = Axe().run(page, options=AXE_OPTIONS)
        found = [
            f"{violation['id']}: {violation['help']}\n  " + "\n  ".join(node["html"] for node in violation["nodes"][:5])
            for violation in results.response["violations"]
        ]
        assert not found, f"{page.url}\n" + "\n".join(found)

    return check
