"""Every page of participants in both languages, at a desk and on a phone: axe, where the focus goes, and no colours."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine.level import draw_level
from tests.browser.conftest import DESKTOP, PHONE, PageMaker, Problems, Site
from tests.browser.player import Player
from tests.browser.samegame import make_study_of
from tests.playtest.studies.factory import question_items

AxeCheck = Callable[[Page], None]
DEVICES: dict[str, dict[str, Any]] = {"desk": DESKTOP, "phone": PHONE}
PRACTISED, PLAYED = (
    draw_level("match3", rows=7, cols=7, colours=6, moves=2, seed=seed, name=f"Short {seed}").to_document()
    for seed in (3, 4)
)
QUESTION = {"key": "liked", "kind": "scale", "label": "Did you like it?", "to": 5, "low": "no", "high": "yes"}

# Whether anything of the element that has the focus can be seen: five points of it, and what lies there on top.
# What is on its way into sight, as the link to the content is, may arrive first.
SEE_FOCUS = """async () => {
    await Promise.allSettled(document.getAnimations()
        .filter(animation => animation.effect.getComputedTiming().endTime !== Infinity)
        .map(animation => animation.finished));
    const focused = document.activeElement;
    if (!focused || focused === document.body) return null;
    const box = focused.getBoundingClientRect();
    const points = [[.5, .5], [.1, .2], [.9, .2], [.1, .8], [.9, .8]];
    const seen = points.some(([x, y]) => {
        const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
        return top && (focused.contains(top) || (top.contains(focused) && !top.matches("html, body, main")));
    });
    return {seen, name: focused.outerHTML.slice(0, 120)};
}"""

# Each piece drawn as on the board, 40 pixels wide, on the ground of its cell: the luminance of every pixel.
DRAW = """async ({pieces, size}) => {
    const sprite = new DOMParser().parseFromString(await (await fetch(SPRITE)).text(), "image/svg+xml");
    const ground = getComputedStyle(document.documentElement).getPropertyValue("--board-cell");
    const drawn = {};
    for (const piece of pieces) {
        const inner = sprite.getElementById(piece).innerHTML;
        const frame = `viewBox="0 0 96 96" width="${size}" height="${size}"`;
        const text = `<svg xmlns="http://www.w3.org/2000/svg" ${frame}>${inner}</svg>`;
        const image = new Image();
        image.src = "data:image/svg+xml," + encodeURIComponent(text);
        await image.decode();
        const canvas = new OffscreenCanvas(size, size).getContext("2d");
        canvas.fillStyle = ground;
        canvas.fillRect(0, 0, size, size);
        canvas.drawImage(image, 0, 0, size, size);
        const {data} = canvas.getImageData(0, 0, size, size);
        drawn[piece] = Array.from({length: size * size}, (_, at) =>
            0.2126 * data[4 * at] + 0.7152 * data[4 * at + 1] + 0.0722 * data[4 * at + 2]);
    }
    return drawn;
}"""
PIECES = "ABCDEFGHI"
SIZE = 36
NOTICED = 16
"""Steps of 255 by which a pixel is no longer that of the ground."""
LEAST_SHAPE = 0.08
"""Share of the pixels of two pieces that only one of them has."""
LEAST_GREY = 24
"""Mean difference in grey, of 255, over the pixels of both: the shapes laid upon each other, with their shades."""


@pytest.fixture(scope="module")
def study(site: Site) -> str:
    questions = question_items()
    questions[0]["screen_out"] = ["never"]
    return make_study_of(
        site,
        {"key": "about", "kind": "questionnaire", "title": "About you", "items": questions},
        {
            "key": "try",
            "kind": "practice",
            "title": "Try it",
            "skip": True,
            "rounds": [{"key": "one", "level": PRACTISED}],
        },
        {
            "key": "rounds",
            "kind": "rounds",
            "title": "Rounds",
            "rounds": [{"key": "one", "level": PLAYED}],
            "after_round": [QUESTION],
        },
        languages=["en", "de"],
    )


class Walker:
    """Walks through the study and looks at every page."""

    def __init__(self, page: Page, axe: AxeCheck, language: str, device: str) -> None:
        self.page, self.axe, self.language, self.device = page, axe, language, device

    def look(self) -> None:
        """The page is in the language that was chosen, axe finds nothing, and the focus is never out of sight."""
        page = self.page
        assert page.evaluate("document.documentElement.lang") == self.language, page.url
        self.axe(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
        page.evaluate("document.activeElement.blur()")
        hidden, count = [], 0
        for _ in range(60):
            page.keyboard.press("Tab")
            focus = page.evaluate(SEE_FOCUS)
            if focus is None:
                break
            count += 1
            if not focus["seen"]:
                hidden.append(focus["name"])
        assert hidden == [], page.url
        assert count > 0, page.url

    def go_on(self) -> None:
        self.page.locator("main form .button--primary").first.click()

    def speak(self, language: str) -> None:
        self.page.locator(f"button[name='to.lang'][value={language}]").click()
        expect(self.page.locator(f"html[lang={language}]")).to_be_attached()

    def begin(self, study: str) -> None:
        self.page.goto(f"{study}?lang={self.language}")
        self.look()
        self.go_on()
        self.look()
        self.go_on()

    def answer(self, often: str) -> None:
        self.page.locator(f"input[name=often][value={often}]").check()
        self.page.locator("input[name=fun]").first.check()
        self.go_on()


@pytest.mark.parametrize("device", ["desk", "phone"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_of_participants_passes_axe_and_shows_where_the_focus_is(
    new_page: PageMaker, study: str, axe: AxeCheck, problems: Problems, language: str, device: str
) -> None:
    problems.expect("404")
    page = new_page(**DEVICES[device], reduced_motion="reduce", color_scheme="dark" if device == "phone" else "light")
    walker, player = Walker(page, axe, language, device), Player(page)
    walker.begin(study)
    walker.look()
    walker.go_on()
    expect(page.locator("#errors")).to_be_visible()
    walker.look()
    # What was answered comes along into the other language and back.
    page.locator("input[name=age]").fill("41")
    walker.speak("de" if language == "en" else "en")
    walker.speak(language)
    expect(page.locator("input[name=age]")).to_have_value("41")
    walker.answer("daily")
    player.wait_open()
    walker.look()
    page.locator("[data-play=go-on]").click()
    expect(page.locator("main h1")).to_contain_text("1")
    player.wait_open()
    walker.look()
    page.goto(f"{study}stop")
    walker.look()
    # A page that is none knows nobody: it speaks the browser's language.
    page.goto(f"{study}nothing/here")
    axe(page)
    page.goto(study)
    walker.look()
    page.goto(f"{study}play")
    player.wait_open()
    if language != "en":
        # The names of the cells are read by these tests in English.
        walker.speak("en")
        player.wait_open()
    for _ in range(2):
        player.move(player.click_swap)
    axe(page)
    page.get_by_role("link", name="Continue").click()
    if language != "en":
        walker.speak(language)
    walker.look()
    page.locator("input[name=liked]").first.check()
    walker.go_on()
    expect(page.locator(".notice--ok")).to_be_visible()
    walker.look()


@pytest.mark.parametrize("language", ["en", "de"])
def test_who_is_screened_out_or_stops_is_told_on_pages_that_pass_too(
    new_page: PageMaker, study: str, axe: AxeCheck, language: str
) -> None:
    walker = Walker(new_page(**PHONE), axe, language, "phone")
    walker.begin(study)
    walker.answer("never")
    expect(walker.page).to_have_url(f"{study}end")
    walker.look()
    walker.page.goto(f"{study}stop")
    walker.page.locator("main form .button--danger").click()
    walker.page.wait_for_url("**/stopped**")
    walker.axe(walker.page)
    assert walker.page.evaluate("document.documentElement.lang") == language


def test_pieces_are_told_apart_without_their_colours(new_page: PageMaker, site: Site) -> None:
    """Drawn in shades of grey, each pair differs in shape, and clearly where one is laid upon the other."""
    page = new_page(bypass_csp=True)
    player = Player(page).begin(site.study_url)
    sprite = page.locator("#play").get_attribute("data-sprite")
    drawn = page.evaluate(DRAW.replace("SPRITE", repr(sprite)), {"pieces": list(PIECES), "size": SIZE})
    ground = drawn["A"][0]
    alike = []
    for one, other in itertools.combinations(PIECES, 2):
        pixels = [
            (first, second)
            for first, second in zip(drawn[one], drawn[other], strict=True)
            if max(abs(first - ground), abs(second - ground)) > NOTICED
        ]
        only_one = sum((abs(a - ground) > NOTICED) != (abs(b - ground) > NOTICED) for a, b in pixels) / len(pixels)
        grey = sum(abs(a - b) for a, b in pixels) / len(pixels)
        if only_one < LEAST_SHAPE or grey < LEAST_GREY:
            alike.append(f"{one} and {other}: {only_one:.0%} of the shape, {grey:.0f} of grey")
    assert alike == []
    assert player.left() == 20
