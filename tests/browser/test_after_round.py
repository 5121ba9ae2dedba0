"""Questions after each round by keyboard alone: made by a designer, answered between rounds, there after a reload."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PageMaker
from tests.browser.player import Player
from tests.playtest.studies.factory import study_document

AxeCheck = Callable[[Page], None]


def published(page: Page, folder: Path) -> str:
    """A study of two short rounds that asks after each of them, made in the editor; its address."""
    document = study_document(rounds=2, moves=2)
    for plan in document["pages"][1]["rounds"]:
        plan.pop("level", None)
        plan["random"] = {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": 2}
    file = folder / "study.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    page.goto("/staff/studies/new/")
    page.get_by_label("A file").check()
    page.get_by_label("Study file").set_input_files(file)
    page.get_by_label("Title").fill("Asked after each round")
    page.get_by_role("button", name="Make the study").click()
    outline = page.get_by_role("navigation", name="Pages of the study")
    outline.get_by_role("link", name=re.compile("^Rounds")).click()
    expect(page.get_by_text("Nothing is asked after a round.")).to_be_visible()
    page.get_by_role("button", name="Difficulty and enjoyment").click()
    page.get_by_role("group", name="Add a question after each round").get_by_role("button", name="Text").click()
    page.get_by_label("Question", exact=True).fill("What went through your mind?")
    page.get_by_label("Longest answer, in characters").fill("30")
    page.get_by_role("button", name="Publish…").click()
    page.get_by_role("button", name="Publish and open").click()
    return page.get_by_label("Address of the study").input_value()


def press_until(page: Page, key: str, words: str) -> None:
    """Go on with a key until a button or link of these words has the focus."""
    for _ in range(60):
        if (
            page.evaluate("document.activeElement.matches('a, button') && document.activeElement.textContent.trim()")
            == words
        ):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {words!r} on {page.url}")


def tab_into(page: Page, place: Locator) -> None:
    """Go on by Tab until the focus is inside."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if place.evaluate("place => place.contains(document.activeElement)"):
            return
    raise AssertionError(f"Tab does not lead into {place} on {page.url}")


def answer(page: Page, right: int) -> None:
    """Both scales by arrow keys: a first step, then so many to the right."""
    for question in ("How difficult", "How much"):
        group = page.get_by_role("group", name=re.compile(question))
        tab_into(page, group)
        page.keyboard.press("Space")
        for _ in range(right):
            page.keyboard.press("ArrowRight")
        expect(group.get_by_role("radio").nth(right)).to_be_checked()


def test_questions_after_each_round_are_answered_by_keyboard(
    staff_page: Page, new_page: PageMaker, axe: AxeCheck, tmp_path: Path
) -> None:
    address = published(staff_page, tmp_path)
    page = new_page()
    player = Player(page)
    page.goto(address)
    press_until(page, "Tab", "Begin")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
    press_until(page, "Tab", "I agree")
    page.keyboard.press("Enter")
    for position in (1, 2):
        player.wait_open()
        tab_into(page, page.get_by_role("grid"))
        player.move(player.key_swap)
        player.move(player.key_swap)
        press_until(page, "Tab", "Continue")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"About round {position}")
        axe(page)
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"About round {position}")
        answer(page, right=position)
        if position == 2:
            page.keyboard.press("Tab")
            page.keyboard.type("a word and another, and one too many")
            expect(page.get_by_text("Characters too many: 6").first).to_be_visible()
            press_until(page, "Tab", "Continue")
            page.keyboard.press("Enter")
            expect(page.get_by_text("at most 30 characters. It has 36 now.").first).to_be_visible()
            expect(page.get_by_label(re.compile("^What went through your mind"))).to_have_value(
                "a word and another, and one too many"
            )
            axe(page)
            page.get_by_label(re.compile("^What went through your mind")).focus()
            page.keyboard.press("Control+A")
            page.keyboard.type("short")
        press_until(page, "Tab", "Continue")
        page.keyboard.press("Enter")
        if position == 1:
            player.wait_open()
            expect(page.get_by_role("heading", level=1)).to_have_text("Round 2 of 2")
            # Going back shows no old form: what is due is the second round.
            page.go_back()
            player.wait_open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thanks")
