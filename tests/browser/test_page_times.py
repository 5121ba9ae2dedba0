"""The times of a page of questions, as Chromium sends them and the server stores them."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.samegame import level_of, make_study_of
from tests.site import ROOT, site_environment

PageMaker = Callable[..., Page]
ITEMS = [{"key": "age", "kind": "number", "label": "Age", "min": 18, "max": 100}]
HIDE = """
hidden => {
  const state = () => (hidden ? "hidden" : "visible");
  Object.defineProperty(document, "visibilityState", { configurable: true, get: state });
  document.dispatchEvent(new Event("visibilitychange"));
}
"""
READ_VISIT = """
import json, sys, django
django.setup()
from playtest.studies.models import PageVisit
visit = PageVisit.objects.get(participant__study__public_id=sys.argv[1])
passed = (visit.submitted_at - visit.shown_at).total_seconds() * 1000
print(json.dumps([visit.shown_ms, visit.hidden_ms, passed]))
"""


def visit_of(site: Site, study: str) -> list[float]:
    """What is stored: shown, hidden, and what passed by the server's clock."""
    done = subprocess.run(
        [sys.executable, "-c", READ_VISIT, study.rstrip("/").rpartition("/")[2]],
        cwd=ROOT,
        env={**site_environment(site.running.var), "DJANGO_SETTINGS_MODULE": "playtest.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[float] = json.loads(done.stdout)
    return found


def test_time_of_a_form_that_comes_back_adds_up_and_hidden_time_is_told(new_page: PageMaker, site: Site) -> None:
    pages: list[dict[str, Any]] = [
        {"key": "asked", "kind": "questionnaire", "title": "Some questions", "items": ITEMS},
        {
            "key": "rounds",
            "kind": "rounds",
            "title": "Rounds",
            "rounds": [
                {"key": "one", "level": level_of("ABABA", "BABAB", "AABAB", "ABABA", "BABAB", "ABABA", "BABAB")}
            ],
        },
    ]
    study = make_study_of(site, *pages)
    page = new_page()
    page.goto(study)
    page.locator("form button[type=submit]").first.click()
    page.locator("button[value=agree]").click()
    page.wait_for_url("**/page/asked")
    page.wait_for_timeout(400)
    page.evaluate(HIDE, True)
    page.wait_for_timeout(600)
    page.evaluate(HIDE, False)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Your other answers are kept.")).to_be_visible()
    page.wait_for_timeout(500)
    page.locator("#id_age").fill("40")
    page.locator("main form button[type=submit]").click()
    page.wait_for_url("**/play")
    shown, hidden, passed = visit_of(site, study)
    assert 600 <= hidden < shown
    assert 1_500 <= shown <= passed
