"""A link for one person, in Chromium: made by staff, begun at a desk, gone on with on a phone; and who saw its page."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Site
from tests.browser.player import Player
from tests.browser.test_pages import A_STUDY, open_page, width_of

AxeCheck = Callable[[Page], None]
LINKS = A_STUDY + " > main a[href$='/links/']"


def make_one_time(staff: Page, comment: str, number: int = 1) -> str:
    """Make links and give the address of the newest, or of the only one, whose page is open then."""
    open_page(staff, LINKS)
    staff.get_by_role("link", name="One-time links").click()
    staff.get_by_label("How many").fill(str(number))
    staff.get_by_label("Comment").fill(comment)
    staff.get_by_role("button", name="Make the links").click()
    address = staff.get_by_label("Address of " + ("the link" if number == 1 else "Link")).first
    expect(address).to_be_visible()
    return address.input_value()


def test_a_one_time_link_is_begun_at_a_desk_and_gone_on_with_on_a_phone(
    staff_page: Page, new_page: PageMaker, axe: AxeCheck
) -> None:
    link = make_one_time(staff_page, "By letter")
    desk = Player(new_page(color_scheme="light"))
    desk.page.goto(link)
    expect(desk.page.get_by_text("This link is for you alone.")).to_be_visible()
    axe(desk.page)
    desk.begin(link)
    desk.move(desk.click_swap)
    left = desk.left()
    page = new_page(**PHONE, color_scheme="dark")
    page.goto(link)
    expect(page.get_by_text("You have started already.")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Go on").click()
    phone = Player(page)
    phone.wait_open()
    assert phone.left() == left
    phone.move(phone.tap_swap)
    third = new_page(viewport={"width": 320, "height": 700})
    third.goto(link)
    third.get_by_role("button", name="Go on").click()
    again = Player(third)
    again.wait_open()
    assert again.left() == left - 1
    staff_page.reload()
    expect(staff_page.get_by_text("Used up")).to_be_visible()
    expect(staff_page.locator(".stat", has_text="started")).to_contain_text("1 of 1")
    expect(staff_page.locator(".stat", has_text="opened")).to_contain_text("1")


def test_a_page_that_is_seen_is_counted_once_and_one_that_is_fetched_is_not(
    staff_page: Page, new_page: PageMaker
) -> None:
    link = make_one_time(staff_page, "Counted")
    opened = staff_page.locator(".stat", has_text="opened")
    visitor = new_page()
    visitor.request.get(link)
    staff_page.reload()
    expect(opened).to_contain_text("0")
    with visitor.expect_response("**/opened"):
        visitor.goto(link)
    for _ in range(2):
        visitor.reload()
    expect(visitor.get_by_role("button", name="Begin")).to_be_visible()
    sent: list[str] = []
    visitor.on("request", lambda request: sent.append(request.url))
    visitor.reload(wait_until="networkidle")
    assert sent
    assert not [address for address in sent if address.endswith("/opened")]
    staff_page.reload()
    expect(opened).to_contain_text("1")


def test_a_dead_link_says_so_calmly_at_320_pixels(staff_page: Page, new_page: PageMaker, axe: AxeCheck) -> None:
    link = make_one_time(staff_page, "Off")
    staff_page.get_by_role("button", name="Switch off").click()
    expect(staff_page.get_by_text("The link is off.")).to_be_visible()
    page = new_page(viewport={"width": 320, "height": 700}, color_scheme="dark")
    page.goto(link)
    expect(page.get_by_text("This link is switched off.")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    assert width_of(page) == 320
    axe(page)


def test_the_pages_of_links_fit_and_pass_axe(staff_page: Page, site: Site, new_page: PageMaker, axe: AxeCheck) -> None:
    make_one_time(staff_page, "Sheet", number=3)
    start = staff_page.url.split("/links/")[0] + "/links/"
    staff_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    staff_page.goto(start)
    field = staff_page.get_by_label("Address of Link").first
    staff_page.get_by_role("button", name="Copy").nth(1).click()
    expect(staff_page.get_by_role("button", name="Copied")).to_be_visible()
    assert staff_page.evaluate("navigator.clipboard.readText()") == field.input_value()
    small = new_page(context=staff_page.context)
    small.set_viewport_size({"width": 320, "height": 700})
    paths = ["", "new/open/", "new/one-time/", "new/labelled/", "sheet", "?kind=one-time&words=Sheet"]
    for scheme in ("light", "dark"):
        small.emulate_media(color_scheme=scheme)
        for path in paths:
            small.goto(start + path)
            axe(small)
            assert width_of(small) <= 320, path
    small.goto(start + "sheet")
    small.emulate_media(media="print")
    expect(small.get_by_role("navigation", name="Main")).to_be_hidden()
    expect(small.get_by_role("img", name="QR code")).not_to_have_count(0)
