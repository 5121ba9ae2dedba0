"""A designer makes a study from nothing, by what is written on the pages, in Chromium against the real site."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Problems, Site, sign_in
from tests.browser.player import Player

AxeCheck = Callable[[Page], None]


def make_empty(page: Page, title: str) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Studies").click()
    page.get_by_role("link", name="New study").click()
    page.get_by_label("An empty study").check()
    page.get_by_label("Title").fill(title)
    page.get_by_role("button", name="Make the study").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def outline(page: Page) -> list[str]:
    """The names of the pages, in order."""
    names = page.get_by_role("navigation", name="Pages of the study").locator(".outline__name").all_inner_texts()
    return names[1:]


def expect_saved(page: Page) -> None:
    expect(page.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()


def open_page(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Pages of the study").get_by_role("link", name=name).click()
    expect(page.locator("#part-title")).to_have_text(name)


def test_study_is_made_from_nothing_published_and_played(staff_page: Page, new_page: PageMaker, axe: AxeCheck) -> None:
    page = staff_page
    make_empty(page, "Do colours matter?")
    axe(page)
    page.get_by_label("Summary (optional)").fill("One short round and a question.")
    open_page(page, "Before you start")
    page.get_by_label("Sentence that people agree to").fill("I want to take part.")
    page.get_by_role("button", name="Questions", exact=True).click()
    page.get_by_label("Heading").fill("First a question")
    page.get_by_role("button", name="Choice", exact=True).click()
    page.get_by_label("Question", exact=True).fill("Which colour do you like best?")
    page.get_by_label("Answer 1", exact=True).fill("Gold")
    page.get_by_label("Name in the data of answer 1").fill("gold")
    page.get_by_label("Answer 2", exact=True).fill("Slate")
    page.get_by_label("Name in the data of answer 2").fill("")
    page.get_by_label("Answer 3", exact=True).fill("Neither")
    axe(page)
    page.get_by_role("link", name="← First a question").click()
    page.get_by_role("link", name=re.compile("New question")).click()
    page.get_by_role("button", name="Remove this question").click()
    expect(page.get_by_text("Removed: “New question”")).to_be_visible()
    open_page(page, "One round")
    page.get_by_role("link", name=re.compile("Drawn anew")).click()
    page.get_by_label("Moves").fill("2")
    page.get_by_role("button", name="Publish…").click()
    expect(page.get_by_text("frozen as version 1")).to_be_visible()
    page.get_by_role("button", name="Publish and open").click()
    address = page.get_by_label("Address of the study").input_value()

    visitor = new_page()
    visitor.goto(address)
    expect(visitor.get_by_text("One short round and a question.")).to_be_visible()
    visitor.get_by_role("button", name="Begin").click()
    expect(visitor.get_by_text("I want to take part.")).to_be_visible()
    visitor.get_by_role("button", name="I agree").click()
    question = visitor.get_by_role("group", name="Which colour do you like best?")
    assert question.get_by_role("radio").evaluate_all("all => all.map(one => one.value)") == [
        "gold",
        "slate",
        "neither",
    ]
    question.get_by_label("Neither").check()
    visitor.get_by_role("button", name="Continue").click()
    player = Player(visitor)
    player.wait_open()
    player.move(player.click_swap)
    expect(visitor.get_by_text("1 move left", exact=True)).to_be_visible()


def test_draft_is_saved_while_one_types_and_refusals_keep_the_words(
    staff_page: Page, problems: Problems, axe: AxeCheck
) -> None:
    page = staff_page
    problems.expect("422")
    make_empty(page, "Typed")
    page.evaluate("window.neverReloaded = true")
    title = page.get_by_label("Title")
    title.fill("Typed and kept")
    expect_saved(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Typed and kept")
    title.fill("")
    expect(page.get_by_text("Not saved: see what is marked")).to_be_visible()
    expect(title).to_have_attribute("aria-invalid", "true")
    expect(title).to_have_accessible_description(re.compile("Please write something here."))
    axe(page)
    title.fill("Typed again")
    expect_saved(page)
    expect(page.get_by_text("Please write something here.")).to_have_count(0)
    assert page.evaluate("window.neverReloaded") is True
    page.reload()
    expect(page.get_by_label("Title")).to_have_value("Typed again")


def test_looking_saves_nothing_and_names_of_answers_follow_their_words(staff_page: Page) -> None:
    page = staff_page
    make_empty(page, "Looked at")
    page.get_by_role("button", name="Questions", exact=True).click()
    page.get_by_role("button", name="Choice", exact=True).click()
    expect(page.get_by_label("An answer is required")).to_be_checked()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.reload()
    expect(page.get_by_label("An answer is required")).to_be_checked()
    page.wait_for_timeout(1_500)
    assert sent == []
    page.get_by_label("Answer 1", exact=True).fill("Never")
    page.get_by_label("Answer 3", exact=True).fill("Daily")
    expect(page.get_by_role("button", name="Move answer 3 up")).to_be_enabled()
    expect(page.get_by_role("button", name="Move answer 3 down")).to_be_disabled()
    expect(page.get_by_role("button", name="Move answer 2 down")).to_be_enabled()
    expect(page.get_by_label("Name in the data of answer 1")).to_have_value("never")
    expect(page.get_by_label("Name in the data of answer 3")).to_have_value("daily")
    expect_saved(page)
    number = len(sent)
    page.wait_for_timeout(1_500)
    assert len(sent) == number
    page.get_by_role("button", name="Move answer 3 up").click()
    expect(page.get_by_label("Answer 2", exact=True)).to_have_value("Daily")
    page.get_by_role("link", name=re.compile("← ")).click()
    open_page(page, "One round")
    page.get_by_role("link", name=re.compile("Drawn anew, Match-3")).click()
    page.get_by_label("SameGame").check()
    expect(page.get_by_label("Rows")).to_have_value("15")
    expect(page.get_by_label("Moves")).to_have_value("")
    expect(page.locator("#part-title")).to_have_text(re.compile("Drawn anew, SameGame, 15 × 15"))
    page.get_by_role("link", name=re.compile("Looked at")).first.click()
    page.get_by_role("link", name="Log", exact=True).last.click()
    page.set_viewport_size({"width": 390, "height": 844})
    detail = page.locator("td[data-label='In detail'] div").first.bounding_box()
    assert detail is not None
    assert detail["width"] > 150


def test_second_one_sees_what_differs(staff_page: Page, axe: AxeCheck) -> None:
    page = staff_page
    make_empty(page, "Two at once")
    other = page.context.new_page()
    other.goto(page.url)
    page.get_by_label("Title").fill("What the first one wrote")
    expect_saved(page)
    other.get_by_label("Title").fill("What the second one wrote")
    expect(other.get_by_role("heading", name="Somebody else changed this")).to_be_visible()
    expect(other.get_by_label("Title")).to_have_value("What the second one wrote")
    axe(other)
    other.get_by_role("button", name="Save mine").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("What the second one wrote")
    page.reload()
    expect(page.get_by_label("Title")).to_have_value("What the second one wrote")


def test_pages_are_moved_by_keyboard_removed_and_put_back(staff_page: Page) -> None:
    page = staff_page
    make_empty(page, "Keys")
    open_page(page, "One round")
    page.get_by_role("button", name="Questions", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("A page is added: Questions.")).to_be_visible()
    assert outline(page) == ["Before you start", "One round", "Some questions", "Thank you"]
    page.get_by_role("navigation", name="Pages of the study").get_by_role("link", name="Some questions").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_text("“Some questions” is number 2 now.")).to_be_visible()
    assert outline(page) == ["Before you start", "Some questions", "One round", "Thank you"]
    page.get_by_role("button", name="Move “Some questions” down").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("“Some questions” is number 3 now.")).to_be_visible()
    page.get_by_role("button", name="Remove this page").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The page “Some questions” is removed.")).to_be_visible()
    page.get_by_role("button", name="Put it back").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("“Some questions” is back.")).to_be_visible()
    assert outline(page) == ["Before you start", "One round", "Some questions", "Thank you"]


def test_editor_works_without_scripts(new_page: PageMaker, site: Site) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, site)
    make_empty(page, "Without scripts")
    page.get_by_label("Title").fill("No script at all")
    page.get_by_label("Title").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("No script at all")
    page.get_by_label("Title").fill("Sent along")
    page.get_by_role("button", name="Questions", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sent along")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Nothing here is counted.")).to_be_visible()


def test_preview_is_marked_on_every_page_and_begins_again(staff_page: Page, axe: AxeCheck) -> None:
    page = staff_page
    make_empty(page, "Looked at first")
    page.get_by_role("button", name="Preview").click()
    mark = page.get_by_role("complementary", name="Preview")
    expect(mark).to_be_visible()
    axe(page)
    page.get_by_role("button", name="I agree").click()
    Player(page).wait_open()
    expect(mark).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
    page.get_by_role("link", name="Back to the draft").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Looked at first")


def test_editor_on_a_phone(new_page: PageMaker, site: Site, axe: AxeCheck) -> None:
    page = new_page(**PHONE, color_scheme="dark")
    sign_in(page, site)
    make_empty(page, "In the hand")
    expect(page.get_by_label("Title", exact=True)).to_be_in_viewport()
    page.get_by_text("Pages", exact=True).tap()
    open_page(page, "One round")
    page.get_by_role("link", name=re.compile("Drawn anew")).tap()
    page.get_by_label("SameGame").check()
    expect_saved(page)
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
