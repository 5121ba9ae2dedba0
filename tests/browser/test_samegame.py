"""Whole rounds of SameGame in Chromium, against the real site: by mouse, by keyboard, by touch."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from engine.level import draw_level, shipped_levels
from tests.browser.conftest import PHONE, PageMaker, Problems, Site
from tests.browser.player import Cell
from tests.browser.samegame import SameGamePlayer, level_of, make_study
from tests.browser.test_play import COUNT_ANIMATIONS, COUNT_MESSAGES, LESS_MOTION
from tests.engine.naive import samegame as twin

AxeCheck = Callable[[Page], None]

SMALL = draw_level("samegame", rows=7, cols=7, colours=3, seed=5, name="Small").to_document()
STANDARD = shipped_levels("samegame")["samegame-01"].to_document()
LARGEST = draw_level("samegame", rows=20, cols=20, colours=9, seed=3, name="Largest").to_document()
# Two groups, then an empty board.
TWO_STEPS = level_of("AAB", "AAB")
# One group, then three B, three C and two D.
LEAVES_EIGHT = level_of("AABC", "AACD", "BDBC")


@pytest.fixture(scope="module")
def small(site: Site) -> str:
    return make_study(site, SMALL, TWO_STEPS)


@pytest.fixture(scope="module")
def short(site: Site) -> str:
    """A study that is over soon, with a round of the other game at its end."""
    match3 = shipped_levels("match3")["board-1"].to_document()
    return make_study(site, LEAVES_EIGHT, TWO_STEPS, match3)


@pytest.fixture(scope="module")
def large(site: Site) -> str:
    return make_study(site, STANDARD)


def finish_round(player: SameGamePlayer, way: Callable[[Cell], None]) -> None:
    """The largest groups first, each by another of its cells; with a reload in the middle."""
    removed = 0
    while groups := player.groups():
        player.remove(way, sorted(groups[0])[removed % len(groups[0])])
        removed += 1
        if removed == 4:
            seen = player.board(), player.score(), player.left()
            player.page.reload()
            player.wait_open()
            assert (player.board(), player.score(), player.left()) == seen
            if way == player.key_group:
                focus_board(player)


def focus_board(player: SameGamePlayer) -> None:
    for _ in range(30):
        if player.page.evaluate("document.activeElement.classList.contains('board__button')"):
            return
        player.page.keyboard.press("Tab")
    pytest.fail("The Tab key never reached the board.")


def check_end(player: SameGamePlayer) -> None:
    page = player.page
    expect(page.get_by_role("heading", name="Round 1 is over")).to_be_visible()
    expect(page.locator(".play__result strong")).to_have_text(f"{player.score():,}")
    cost = -twin.end_points(twin.board_of(player.board()))
    words = page.locator(".play__card")
    if cost == -1000:
        expect(words).to_contain_text("You cleared the board: 1,000 points on top.")
    else:
        expect(words).to_contain_text("No group was left.")
        expect(words).to_contain_text(f"which cost {cost} point" if cost else "which cost nothing")
    go_on = page.get_by_role("link", name="Continue")
    expect(go_on).to_be_focused()
    go_on.press("Enter")
    player.wait_open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round 2 of 2")


def words_of(group: twin.Group) -> str:
    points = (len(group) - 2) ** 2
    return f"Group of {len(group)}: {points} point{'' if points == 1 else 's'}"


def test_a_round_is_played_by_mouse_with_every_group_shown_before_it_goes(page: Page, small: str) -> None:
    player = SameGamePlayer(page).begin(small)
    largest, *others = player.groups()
    for group in (largest, others[-1]):
        page.mouse.move(*player.middle(min(group)))
        expect(page.locator("[data-play=preview]")).to_have_text(words_of(group))
        expect(page.locator(".is-lit")).to_have_count(len(group))
        expect(page.locator(".mark__worth")).to_have_text(f"+{(len(group) - 2) ** 2}")
    page.mouse.move(*player.middle(player.single()))
    expect(page.locator(".mark")).to_have_count(0)
    assert player.preview() == ""
    finish_round(player, player.click_group)
    check_end(player)


def test_a_round_is_played_by_keyboard_alone(page: Page, small: str) -> None:
    player = SameGamePlayer(page).begin(small)
    focus_board(player)
    page.keyboard.press("ArrowRight")
    assert player.focused() == (0, 1)
    largest = player.groups()[0]
    at = max(largest)
    player.remove(player.key_group, at)
    assert player.focused() == at, "The focus stays on the cell acted on."
    finish_round(player, player.key_group)
    check_end(player)


def test_focus_shows_the_group_and_a_screen_reader_hears_it(page: Page, small: str) -> None:
    player = SameGamePlayer(page).begin(small)
    focus_board(player)
    group = player.groups()[0]
    row, col = min(group)
    for key in ["ArrowDown"] * row + ["ArrowRight"] * col:
        page.keyboard.press(key)
    expect(page.locator("[data-play=preview]")).to_have_text(words_of(group))
    names = player.names()
    for other in player.groups():
        for cell in other:
            assert (names[cell]["size"], names[cell]["worth"]) == (str(len(other)), str((len(other) - 2) ** 2))
    assert names[player.single()][0].endswith(", single")
    expect(page.get_by_role("grid")).to_have_accessible_description(
        "Arrow keys move and show the group. Enter or Space removes it."
    )


def test_a_round_is_played_by_touch_and_the_first_tap_only_shows(phone: Page, small: str) -> None:
    player = SameGamePlayer(phone).begin(small)
    first, second, *_ = player.groups()
    seen = player.board()
    for group in (first, second):
        phone.touchscreen.tap(*player.middle(min(group)))
        expect(phone.locator("[data-play=preview]")).to_have_text(f"{words_of(group)}. Tap it again to remove it.")
        expect(phone.locator(".is-lit")).to_have_count(len(group))
        assert player.names()[max(group)]["chosen"]
        assert player.board() == seen
    # Another cell of the chosen group is as good.
    phone.touchscreen.tap(*player.middle(max(second)))
    expect(phone.locator("[data-play=left] strong")).to_have_text(
        str(len(twin.groups(twin.without(twin.board_of(seen), second))))
    )
    player.wait_open()
    finish_round(player, player.tap_group)
    assert phone.evaluate("[scrollX, scrollY, visualViewport.scale]") == [0, 0, 1]
    check_end(player)


def test_a_finger_that_slides_chooses_and_removes_nothing(phone: Page, small: str) -> None:
    player = SameGamePlayer(phone).begin(small)
    seen = player.board()
    first, second, *_ = player.groups()
    player._finger(player.middle(min(first)), player.middle(max(first)), player.middle(min(second)))
    expect(phone.locator("[data-play=preview]")).to_contain_text(words_of(second))
    assert player.board() == seen
    player.remove(lambda cell: phone.touchscreen.tap(*player.middle(cell)), max(second))


def test_single_piece_stays_and_the_page_says_why(page: Page, small: str) -> None:
    player = SameGamePlayer(page).begin(small)
    seen = player.board(), player.score(), player.left()
    player.click_group(player.single())
    expect(page.get_by_role("status")).to_contain_text("There is no group there")
    expect(page.locator("[data-play=last]")).to_contain_text("two or more equal pieces")
    player.wait_open()
    assert (player.board(), player.score(), player.left()) == seen


def test_end_is_explained_also_after_a_reload_and_the_next_game_has_its_own_help(
    new_page: PageMaker, short: str
) -> None:
    page = new_page(**LESS_MOTION)
    player = SameGamePlayer(page).begin(short)
    expect(page.get_by_text("Remove groups: two or more equal pieces")).to_be_visible()
    expect(page.locator("[data-play=left]")).to_have_text(f"{player.left()} group left")
    expect(page.locator("[data-play=dots]")).to_be_hidden()
    player.remove(player.click_group, (0, 0))
    left = "3 sky squares, 3 deep teal triangles, and 2 violet diamonds stayed behind, which cost 2 points."
    expect(page.locator(".play__card")).to_contain_text(f"No group was left. {left}")
    assert player.score() == 2
    expect(page.locator("[data-play=last]")).to_have_text("Last move +2")
    page.get_by_role("link", name="Continue").click()
    player.wait_open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round 2 of 3")
    for cell in ((0, 0), (1, 0)):
        player.remove(player.click_group, cell)
    assert player.score() == 4 + 0 + 1000
    expect(page.locator(".play__card")).to_contain_text("You cleared the board: 1,000 points on top.")
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round 3 of 3")
    # Another game than before: its help is open by itself.
    expect(page.get_by_text("Swap two neighbouring pieces")).to_be_visible()
    expect(page.get_by_text("Remove groups")).to_be_hidden()
    expect(page.locator("[data-play=left]")).to_have_text("20 moves left")
    expect(page.locator("[data-play=dots]")).to_be_visible()


def test_move_is_told_once_and_with_less_motion_drawn_at_once(new_page: PageMaker, small: str) -> None:
    page = new_page(**LESS_MOTION)
    player = SameGamePlayer(page).begin(small)
    page.evaluate(COUNT_ANIMATIONS)
    page.evaluate(COUNT_MESSAGES)
    group = player.groups()[0]
    gained = player.remove(player.click_group, min(group))
    assert page.evaluate("window.moved") == 0
    assert page.evaluate("window.told") == [f"Removed {len(group)}, {gained} points. {player.left()} groups left."]


def test_pieces_travel_and_columns_close_up(page: Page, short: str) -> None:
    player = SameGamePlayer(page).begin(short)
    page.evaluate(COUNT_ANIMATIONS)
    player.remove(player.click_group, (0, 0))
    assert page.evaluate("window.moved") > 4


@pytest.mark.parametrize(("width", "cell"), [(390, 22), (320, 18)])
def test_a_standard_board_fits_a_phone(new_page: PageMaker, large: str, width: int, cell: int) -> None:
    page = new_page(**{**PHONE, "viewport": {"width": width, "height": 760}})
    player = SameGamePlayer(page).begin(large)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sides = page.locator(".board__button").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert len(sides) == 225
    assert min(sides) >= cell
    player.remove(player.tap_group, min(player.groups()[0]))


def test_largest_board_is_playable_on_a_desk_and_a_phone(new_page: PageMaker, site: Site) -> None:
    study = make_study(site, LARGEST)
    desk = SameGamePlayer(new_page()).begin(study)
    assert len(desk.board()) == 20
    desk.remove(desk.click_group, min(desk.groups()[0]))
    phone = SameGamePlayer(new_page(**PHONE)).begin(study)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
    phone.remove(phone.tap_group, min(phone.groups()[0]))


def test_the_page_has_nothing_for_axe_to_find(new_page: PageMaker, axe: AxeCheck, short: str) -> None:
    page = new_page(**LESS_MOTION)
    player = SameGamePlayer(page).begin(short)

    def check_both_themes() -> None:
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            axe(page)

    page.mouse.move(*player.middle((0, 0)))
    expect(page.locator(".mark__worth")).to_be_visible()
    check_both_themes()
    player.remove(player.click_group, (0, 0))
    check_both_themes()


def test_ready_made_studies_stand_on_the_start_page(page: Page, problems: Problems) -> None:
    page.goto("/")
    for title in ("How do you play SameGame?", "How do you play two puzzles?", "How do you play Match-3?"):
        expect(page.get_by_role("link", name=title).first).to_be_visible()
