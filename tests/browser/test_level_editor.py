"""A designer draws a level with the mouse, a finger or the keyboard, in Chromium against the real site."""

import re
from collections.abc import Callable

from playwright.sync_api import Dialog, Locator, Page, expect

from engine.level import draw_level
from tests.browser.conftest import PHONE, PageMaker, Problems, Site, sign_in

AxeCheck = Callable[[Page], None]
PLAYED = 120_000


def open_editor(page: Page) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Levels").click()
    page.get_by_role("link", name="Draw a level").click()
    expect(page.get_by_role("grid", name="Board").get_by_role("gridcell")).to_have_count(49)


def cell(page: Page, row: int, col: int) -> Locator:
    return page.get_by_role("gridcell", name=re.compile(rf"^Row {row} column {col},"))


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_drawn_level_is_saved_and_its_report_arrives(staff_page: Page, problems: Problems, axe: AxeCheck) -> None:
    page = staff_page
    problems.expect("422")
    open_editor(page)
    verdict = page.get_by_role("status").filter(has_text="Ready to save")
    expect(verdict).to_be_visible()
    expect(verdict).to_contain_text("Deadlock risk")
    page.get_by_role("radio", name="F, hexagon").check()
    page.mouse.move(*middle(cell(page, 1, 1)))
    page.mouse.down()
    page.mouse.move(*middle(cell(page, 1, 4)), steps=12)
    page.mouse.up()
    for col in (1, 2, 3, 4):
        expect(cell(page, 1, col)).to_have_accessible_name(re.compile("F, hexagon, stands in a run"))
    expect(page.get_by_role("status").filter(has_text="Row 1 has a run")).to_be_visible()
    axe(page)
    # What cannot be saved comes back with everything that was drawn.
    page.get_by_label("Name").fill("Drawn by hand")
    page.get_by_role("button", name="Save and playtest").click()
    expect(page.get_by_text("Row 1 has a run").first).to_be_visible()
    expect(cell(page, 1, 4)).to_have_accessible_name(re.compile("F, hexagon"))
    page.get_by_role("spinbutton", name="Seed").fill("7")
    page.get_by_role("button", name="Fill at random from the seed").click()
    expect(verdict).to_be_visible()
    page.get_by_role("button", name="Save and playtest").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Drawn by hand")
    table = page.get_by_role("region", name="Scores and legal moves of each agent")
    random = table.get_by_role("row", name="Random")
    expect(random.get_by_role("cell").first).to_have_text("100", timeout=PLAYED)
    expect(page.get_by_role("progressbar", name="Games played")).to_have_count(0, timeout=PLAYED)


def test_level_is_drawn_by_keys_alone_and_steps_are_taken_back(staff_page: Page) -> None:
    page = staff_page
    open_editor(page)
    drawn = draw_level(seed=1).board
    page.get_by_role("radio", name="A, circle").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="B, square")).to_be_checked()
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(cell(page, 1, 1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(cell(page, 2, 7)).to_be_focused()
    for key, name in (("f", "F, hexagon"), ("1", "A, circle"), ("Enter", "B, square"), ("5", "E, star")):
        page.keyboard.press(key)
        expect(cell(page, 2, 7)).to_have_accessible_name(re.compile(name))
    for _ in range(4):
        page.keyboard.press("Control+z")
    board = page.get_by_label("Board as text")
    expect(board).to_have_value("\n".join(drawn))
    page.keyboard.press("Control+Shift+z")
    expect(cell(page, 2, 7)).not_to_have_accessible_name(re.compile(f"{drawn[1][6]},"))
    # A key of a piece that the level has not does nothing.
    before = board.input_value()
    page.keyboard.press("g")
    page.keyboard.press("9")
    assert board.input_value() == before


def test_size_colours_and_game_change_what_can_be_drawn(staff_page: Page) -> None:
    page = staff_page
    open_editor(page)
    cells = page.get_by_role("grid", name="Board").get_by_role("gridcell")
    expect(page.get_by_label(re.compile("^Moves"))).to_be_visible()
    page.get_by_label("Columns").fill("9")
    expect(cells).to_have_count(63)
    page.get_by_role("button", name="Undo").click()
    expect(cells).to_have_count(49)
    expect(page.get_by_label("Columns")).to_have_value("7")
    page.get_by_label("Colours").fill("7")
    expect(page.get_by_role("radio", name="G, plus")).to_be_visible()
    page.get_by_role("radio", name="Written for each column").check()
    page.get_by_role("button", name="Write what the seed gives").click()
    expect(page.get_by_label("Pieces of each column")).to_have_value(re.compile(r"^[A-G]{20}(\n[A-G]{20}){6}$"))
    page.get_by_role("radio", name="SameGame").check()
    expect(page.get_by_label(re.compile("^Moves"))).to_be_hidden()
    expect(page.get_by_role("status").filter(has_text=re.compile(r"Ready to save: \d+ groups"))).to_be_visible()


def test_finger_draws_on_a_phone_and_nothing_scrolls_sideways(new_page: PageMaker, site: Site, axe: AxeCheck) -> None:
    page = new_page(**PHONE, color_scheme="dark")
    sign_in(page, site)
    page.goto("/staff/levels/draw/")
    expect(cell(page, 1, 1)).to_be_visible()
    cell(page, 1, 1).scroll_into_view_if_needed()
    page.get_by_role("radio", name="C, triangle").check()
    session = page.context.new_cdp_session(page)
    points = [middle(cell(page, 2, col)) for col in (1, 2, 3)]
    for kind, point in (("touchStart", points[0]), ("touchMove", points[1]), ("touchMove", points[2])):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": point[0], "y": point[1]}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    for col in (1, 2, 3):
        expect(cell(page, 2, col)).to_have_accessible_name(re.compile("C, triangle"))
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    axe(page)


def test_designer_is_asked_before_a_drawing_is_lost(staff_page: Page) -> None:
    page = staff_page
    open_editor(page)
    cell(page, 3, 3).click()
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    with page.expect_event("dialog"):
        page.once("dialog", stay)
        page.get_by_role("link", name="Cancel").click(no_wait_after=True)
    assert asked == ["beforeunload"]
    expect(cell(page, 3, 3)).to_have_accessible_name(re.compile("A, circle"))
