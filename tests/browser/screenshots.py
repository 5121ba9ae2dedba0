"""`make screenshots`: the pictures in docs/images, taken of the real site after bots have played and a run has ended.

Nothing is drawn or edited: a site is started in a folder of its own, bots walk the demonstration study, the personas
play its levels, a small run of evolution goes to its end. The same seeds give the same figures.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS, DESKTOP, PHONE, Site, sign_in
from tests.browser.player import Player
from tests.run import chromium_ensure
from tests.site import ROOT, running_site

IMAGES = ROOT / "docs" / "images"
BOTS = {"random": 8, "greedy": 8, "vanilla": 6}
"""Which agents walk the study, and how many of each."""
RUN = {"Population": "30", "Generations": "12", "Games each": "20", "Simulations a move": "100", "Seed": "7"}
PATIENCE = 20 * 60 * 1000
"""Milliseconds for work that fills every core."""


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def walk_bots(site: Site) -> None:
    for seed, (agent, number) in enumerate(BOTS.items(), 1):
        say(f"{number} bots that play as {agent}")
        words = ["bots", "paper", "--participants", str(number), "--at-once", "4", "--agent", agent]
        words += ["--url", site.url, "--seed", str(seed)]
        subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env={**os.environ, "TESSERA_VAR": str(site.running.var)},
            stdout=subprocess.DEVNULL,
            check=True,
        )


def start_run(page: Page) -> str:
    """Begin an evolution run by the form; gives its address."""
    page.goto("/staff/evolution/new/")
    for label, value in RUN.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Start the run").click()
    page.wait_for_url(re.compile(r"/staff/evolution/\d+/$"))
    return page.url


def playtest_study(page: Page, site: Site) -> str:
    """Let the personas play all levels of the study; gives the address of its results."""
    page.goto("/staff/studies/")
    page.get_by_role("link", name="How do you play Match-3?", exact=True).click()
    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("button", name="Playtest all levels with personas").click()
    return page.url


def both_sizes(browser: Browser, site: Site, name: str, show: Callable[[Page], Any], *, staff: bool) -> None:
    """A desk in the light and a phone in the dark."""
    for suffix, options in (
        ("", {**DESKTOP, "color_scheme": "light"}),
        ("-phone", {**PHONE, "color_scheme": "dark"}),
    ):
        context = browser.new_context(base_url=site.url, **options)
        context.set_default_timeout(60_000)
        page = context.new_page()
        if staff:
            sign_in(page, site)
        show(page)
        page.evaluate("document.fonts.ready")
        page.mouse.move(0, 0)
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / f"{name}{suffix}.png")
        context.close()
        say(f"docs/images/{name}{suffix}.png")


def play_some(page: Page, site: Site) -> None:
    player = Player(page).begin(site.study_url)
    if page.get_by_text("How to play").first.is_visible():
        page.get_by_text("How to play").first.click()
    for _ in range(7):
        player.move(player.tap_swap if page.viewport_size == PHONE["viewport"] else player.click_swap)


def open_address(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer is not None
    assert answer.ok, f"{address} answers {answer.status}: this would be a picture of an error"


def wait_for_charts(page: Page, address: str) -> None:
    open_address(page, address)
    page.locator(".chart svg, .chart canvas").first.wait_for(timeout=PATIENCE)


def take(browser: Browser, site: Site) -> None:
    context = browser.new_context(base_url=site.url, **DESKTOP)
    context.set_default_timeout(60_000)
    page = context.new_page()
    walk_bots(site)
    sign_in(page, site)
    results = playtest_study(page, site)
    say("Personas play the levels of the study")
    expect(page.locator("[data-live-topic]")).to_have_count(0, timeout=PATIENCE)
    run = start_run(page)
    say("A run of evolution")
    page.get_by_role("button", name="Keep as persona").wait_for(timeout=PATIENCE)
    context.close()

    study = results.split("?")[0].rstrip("/").removesuffix("/results") + "/"
    both_sizes(browser, site, "play", lambda page: play_some(page, site), staff=False)
    both_sizes(browser, site, "study", lambda page: open_address(page, study), staff=True)
    both_sizes(browser, site, "results", lambda page: wait_for_charts(page, results), staff=True)
    both_sizes(browser, site, "evolution", lambda page: wait_for_charts(page, run), staff=True)


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    path = chromium_ensure()
    with running_site() as running, sync_playwright() as playwright:
        username, password = running.login()
        site = Site(running.url, username, password, running.study_url(), running)
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        take(browser, site)
        browser.close()


if __name__ == "__main__":
    main()
