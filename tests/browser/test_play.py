"""Whole rounds on the page of play, in Chromium, against the real site."""

import os
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import PHONE, PageMaker, Problems, Site
from tests.browser.player import Player
from tests.site import wait_until

AxeCheck = Callable[[Page], None]
LESS_MOTION = {"reduced_motion": "reduce"}
COUNT_ANIMATIONS = """() => {
    window.moved = 0;
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
        window.moved += 1;
        return animate.apply(this, given);
    };
}"""
COUNT_MESSAGES = """() => {
    window.told = [];
    const region = document.querySelector("[data-play=say]");
    new MutationObserver(() => window.told.push(region.textContent)).observe(region, {childList: true});
}"""


def finish_round(player: Player, ways: list[Callable[..., None]]) -> None:
    """Every move of the round that is left, the ways of making one taking turns."""
    for number in range(player.left()):
        player.move(ways[number % len(ways)])


def check_end_of_round(player: Player, round_number: int) -> None:
    page = player.page
    expect(page.get_by_role("heading", name=f"Round {round_number} is over")).to_be_visible()
    go_on = page.get_by_role("link", name="Continue")
    expect(go_on).to_be_focused()
    assert player.left() == 0
    # Every move brings at least one match of three.
    assert player.score() >= 20 * 60
    expect(page.locator(".play__result strong")).to_have_text(f"{player.score():,}")
    go_on.press("Enter")
    player.wait_open()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Round {round_number + 1} of 6")
    assert player.left() == 20


@pytest.fixture
def gentle(new_page: PageMaker, site: Site) -> Player:
    """A player who asks for less motion, at the first board: nothing has to be waited for."""
    return Player(new_page(**LESS_MOTION)).begin(site.study_url)


def test_a_round_is_played_by_mouse_with_drags_and_clicks(page: Page, site: Site) -> None:
    player = Player(page).begin(site.study_url)
    expect(page.get_by_role("heading", level=1)).to_have_text("Round 1 of 6")
    finish_round(player, [player.drag_swap, player.click_swap])
    check_end_of_round(player, 1)


def test_a_round_is_played_by_keyboard_alone(new_page: PageMaker, site: Site) -> None:
    page = new_page(**LESS_MOTION)
    page.goto(site.study_url)
    player = Player(page)

    def tab_to(name: str) -> None:
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.innerText ?? ''").strip() == name:
                return
        pytest.fail(f"The Tab key never reached {name!r}.")

    tab_to("Begin")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
    tab_to("I agree")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    for _ in page.get_by_role("group").all():
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.type") != "radio":
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
    tab_to("Continue")
    page.keyboard.press("Enter")
    player.wait_open()
    while not page.evaluate("document.activeElement.classList.contains('board__button')"):
        page.keyboard.press("Tab")
    for _ in range(20):
        at = player.legal_swaps()[0][0]
        player.move(player.key_swap)
        if player.left():
            assert player.focused() == at, "The focus stays on the cell acted on."
    check_end_of_round(player, 1)


def test_a_round_is_played_by_touch_on_a_phone_without_scrolling_the_page(phone: Page, site: Site) -> None:
    player = Player(phone).begin(site.study_url)
    finish_round(player, [player.swipe_swap, player.tap_swap, player.press_swap])
    assert phone.evaluate("[scrollX, scrollY, visualViewport.scale]") == [0, 0, 1]
    check_end_of_round(player, 1)


def test_reloading_in_the_middle_finds_everything(gentle: Player) -> None:
    for _ in range(4):
        gentle.move(gentle.click_swap)
    seen = gentle.board(), gentle.score(), gentle.left()
    assert seen[2] == 16
    gentle.page.reload()
    gentle.wait_open()
    assert (gentle.board(), gentle.score(), gentle.left()) == seen
    gentle.move(gentle.click_swap)
    assert gentle.left() == 15


def test_the_link_opened_again_leads_back_to_the_same_board(gentle: Player, site: Site) -> None:
    gentle.move(gentle.click_swap)
    seen = gentle.board(), gentle.score(), gentle.left()
    gentle.page.goto(site.study_url)
    gentle.page.get_by_role("link", name="Go on").click()
    gentle.wait_open()
    assert (gentle.board(), gentle.score(), gentle.left()) == seen


def test_a_swap_without_a_match_goes_back_and_costs_nothing(page: Page, site: Site) -> None:
    player = Player(page).begin(site.study_url)
    seen = player.board(), player.score(), player.left()
    player.drag_swap(player.illegal_swap())
    expect(page.get_by_role("status")).to_contain_text("No match there")
    player.wait_open()
    assert (player.board(), player.score(), player.left()) == seen
    player.move(player.drag_swap)


def test_a_swap_is_cancelled_before_it_is_made(page: Page, site: Site) -> None:
    player = Player(page).begin(site.study_url)
    seen = player.board(), player.left()
    first, second = player.legal_swaps()[0]
    page.mouse.move(*player.middle(first))
    page.mouse.down()
    page.mouse.move(*player.middle(second), steps=4)
    page.mouse.move(*player.middle(first), steps=4)
    page.mouse.up()
    player.cell(first).focus()
    page.keyboard.press("Enter")
    expect(player.cell(first)).to_have_accessible_name(f"{player_name(player, first)}, picked up")
    page.keyboard.press("Escape")
    expect(player.cell(first)).to_have_accessible_name(player_name(player, first))
    page.keyboard.press("ArrowRight")
    assert (player.board(), player.left()) == seen


def player_name(player: Player, cell: tuple[int, int]) -> str:
    name = player.cell(cell).get_attribute("aria-label") or ""
    return name.removesuffix(", picked up")


def test_a_second_tab_takes_the_game_over_and_the_first_can_have_it_back(gentle: Player, new_page: PageMaker) -> None:
    gentle.move(gentle.click_swap)
    second = Player(new_page(context=gentle.page.context))
    second.page.goto(gentle.page.url)
    second.wait_open()
    assert second.left() == 19
    heading = gentle.page.get_by_role("heading", name="Your game is open somewhere else")
    expect(heading).to_be_visible()
    second.move(second.click_swap)
    seen = second.board(), second.score(), second.left()
    gentle.page.get_by_role("button", name="Play here").click()
    gentle.wait_open()
    expect(heading).to_be_hidden()
    assert (gentle.board(), gentle.score(), gentle.left()) == seen
    expect(second.page.get_by_role("heading", name="Your game is open somewhere else")).to_be_visible()


def test_a_server_killed_in_the_middle_loses_no_move(gentle: Player, site: Site, problems: Problems) -> None:
    problems.expect("WebSocket")
    for _ in range(3):
        gentle.move(gentle.click_swap)
    seen = gentle.board(), gentle.score(), gentle.left()
    killed = site.running.pids("playtest.asgi")
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    # The next one may be there before the page says that it is offline.
    assert wait_until(lambda: not set(killed) & set(site.running.pids("playtest.asgi")), 60)
    assert wait_until(site.running.is_healthy, 120)
    gentle.wait_open()
    assert (gentle.board(), gentle.score(), gentle.left()) == seen
    expect(gentle.page.get_by_role("alert")).to_have_text("")
    gentle.move(gentle.click_swap)
    gentle.page.reload()
    gentle.wait_open()
    assert gentle.left() == 16


def test_a_move_made_while_the_network_is_cut_is_stored_once(new_page: PageMaker, site: Site) -> None:
    """What the page sends, and what it is sent, is lost for a while; the page notices and repeats its one wish."""
    page = new_page(**LESS_MOTION)
    cut = {"to": False, "from": False}
    acts: list[str] = []

    def relay(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def from_page(message: str | bytes) -> None:
            if '"act"' in str(message):
                acts.append(str(message))
            if not cut["to"]:
                server.send(message)

        def from_server(message: str | bytes) -> None:
            if not cut["from"]:
                route.send(message)

        route.on_message(from_page)
        server.on_message(from_server)

    page.route_web_socket("**/ws/play/**", relay)
    player = Player(page).begin(site.study_url)
    for lost in ("to", "from"):
        left = player.left()
        cut[lost] = True
        acts.clear()
        player.click_swap(player.legal_swaps()[0])
        expect(page.locator("[data-play=save]")).to_have_text("Saving")
        # Unanswered for six seconds: the page gives the socket up.
        expect(page.locator("[data-play=save]")).not_to_have_text("Saving")
        cut[lost] = False
        player.wait_open()
        assert player.left() == left - 1
        assert len(set(acts)) == 1, "A wish is repeated as it was."
    page.reload()
    player.wait_open()
    assert player.left() == 18


def test_with_less_motion_every_frame_is_drawn_at_once(gentle: Player) -> None:
    page = gentle.page
    expect(page.get_by_role("switch", name="Motion")).to_be_disabled()
    page.evaluate(COUNT_ANIMATIONS)
    gentle.move(gentle.click_swap)
    assert page.evaluate("window.moved") == 0


def test_the_motion_switch_is_kept_and_stops_the_drawing(page: Page, site: Site) -> None:
    player = Player(page).begin(site.study_url)
    page.get_by_role("switch", name="Motion").uncheck()
    page.reload()
    player.wait_open()
    expect(page.get_by_role("switch", name="Motion")).not_to_be_checked()
    page.evaluate(COUNT_ANIMATIONS)
    player.move(player.click_swap)
    assert page.evaluate("window.moved") == 0


def test_a_move_is_told_once_politely(page: Page, site: Site) -> None:
    player = Player(page).begin(site.study_url)
    page.evaluate(COUNT_MESSAGES)
    player.move(player.click_swap)
    told = page.evaluate("window.told")
    assert len(told) == 1
    assert "19 moves left." in told[0]


def test_the_board_fits_a_screen_of_320_pixels_with_cells_of_40(new_page: PageMaker, site: Site) -> None:
    page = new_page(**{**PHONE, "viewport": {"width": 320, "height": 640}})
    Player(page).begin(site.study_url)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    sides = page.locator(".board__button").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert len(sides) == 49
    assert min(sides) >= 40


def test_the_page_of_play_has_nothing_for_axe_to_find(gentle: Player, axe: AxeCheck) -> None:
    def check_both_themes() -> None:
        for theme in ("light", "dark"):
            gentle.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            axe(gentle.page)

    check_both_themes()
    gentle.cell((2, 2)).click()
    check_both_themes()
    gentle.page.keyboard.press("Escape")
    finish_round(gentle, [gentle.click_swap])
    check_both_themes()
