"""Every page that is reached without playing: it opens, fits, passes axe in both themes, and its files may be kept."""

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Problems, Site, sign_in

AxeCheck = Callable[[Page], None]

PUBLIC = ["/", "/staff/login/"]
A_STUDY = "/staff/studies/ > main table a:text-is('How do you play Match-3?')"
STAFF = {
    "dashboard": "/staff/",
    "password": "/staff/password/",
    "studies": "/staff/studies/",
    "a study": A_STUDY,
    "its results": A_STUDY + " > main a[href*='/results/']",
    "its export": A_STUDY + " > main a[href$='/export']",
    "a new study": "/staff/studies/new/",
    "its draft": A_STUDY + " > main a[href$='/edit/']",
    "a page of it": A_STUDY + " > main a[href$='/edit/'] > main a[href$='/rounds/']",
    "a question of it": A_STUDY + " > main a[href$='/edit/'] > main a[href$='/profile/'] > .entry a",
    "its versions": A_STUDY + " > main a[href$='/versions/']",
    "a version": A_STUDY + " > main a[href$='/versions/'] > main th a",
    "its differences": A_STUDY + " > main a[href$='/versions/'] > main td a",
    "its log": A_STUDY + " > main a[href$='/log']",
    "its links": A_STUDY + " > main ul a[href$='/links/']",
    "the log": "/staff/log/",
    "its end": A_STUDY + " > main a[href$='/close']",
    "levels": "/staff/levels/",
    "a level": "/staff/levels/ > main a[href^='/staff/levels/']:not([href*='new'])",
    "a new level": "/staff/levels/new/",
    "evolution": "/staff/evolution/",
    "a new run": "/staff/evolution/new/",
    "runs compared": "/staff/evolution/compare/",
    "hall of fame": "/staff/evolution/best/",
    "personas": "/staff/personas/",
    "a persona": "/staff/personas/ > main a[href^='/staff/personas/']",
}
THEMES = [{"color_scheme": "light"}, {**PHONE, "color_scheme": "dark"}]


def open_page(page: Page, way: str) -> None:
    """Go to the first address, then along links, each the first that fits."""
    first, *links = way.split(" > ")
    response = page.goto(first)
    assert response is not None
    assert response.status == 200
    for link in links:
        address = page.locator(link).first.get_attribute("href")
        assert address, f"{page.url} has no link {link}"
        page.goto(address)


def check(page: Page, axe: AxeCheck) -> None:
    expect(page.locator("h1")).to_have_count(1)
    assert page.title().endswith("Tessera") or page.title().startswith("Tessera")
    assert page.locator("html").get_attribute("lang") == "en"
    axe(page)


def width_of(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


@pytest.mark.parametrize("theme", THEMES, ids=["desk, light", "phone, dark"])
@pytest.mark.parametrize("path", PUBLIC)
def test_public_page_opens_and_passes_axe(
    new_page: PageMaker, axe: AxeCheck, path: str, theme: dict[str, object]
) -> None:
    page = new_page(**theme)
    open_page(page, path)
    check(page, axe)


@pytest.mark.parametrize("theme", THEMES, ids=["desk, light", "phone, dark"])
def test_staff_pages_open_and_pass_axe(
    new_page: PageMaker, site: Site, axe: AxeCheck, theme: dict[str, object]
) -> None:
    page = new_page(**theme)
    sign_in(page, site)
    for way in STAFF.values():
        open_page(page, way)
        check(page, axe)


def test_pages_fit_into_320_pixels(new_page: PageMaker, site: Site) -> None:
    page = new_page(viewport={"width": 320, "height": 700})
    for path in PUBLIC:
        open_page(page, path)
        assert width_of(page) <= 320, page.url
    sign_in(page, site)
    for way in STAFF.values():
        open_page(page, way)
        assert width_of(page) <= 320, page.url


def test_page_that_is_not_there_says_so(page: Page, problems: Problems, axe: AxeCheck) -> None:
    problems.expect("404")
    response = page.goto("/nowhere/")
    assert response is not None
    assert response.status == 404
    expect(page.locator("h1")).to_have_count(1)
    axe(page)


def test_staff_sign_in_and_out_by_keyboard(page: Page, site: Site) -> None:
    page.goto("/staff/levels/")
    expect(page).to_have_url(re.compile(r"/staff/login/\?next=/staff/levels/"))
    page.get_by_label("Username").focus()
    page.keyboard.type(site.username)
    page.keyboard.press("Tab")
    page.keyboard.type(site.password)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/staff/levels/$"))
    sign_out = page.get_by_role("button", name="Sign out")
    sign_out.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/staff/login/"))
    page.goto("/staff/")
    expect(page).to_have_url(re.compile("/staff/login/"))


def test_wrong_password_is_answered_in_the_form(page: Page, site: Site) -> None:
    page.goto("/staff/login/")
    page.get_by_label("Username").fill("somebody")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not fit")
    expect(page.get_by_label("Username")).to_have_value("somebody")


def test_static_files_are_named_by_content_compressed_and_kept(site: Site) -> None:
    page = httpx.get(site.url + "/")
    files = re.findall(r'(?:href|src)="(/static/[^"]+\.(?:css|js))"', page.text)
    assert files
    for name in files:
        answer = httpx.get(site.url + name, headers={"Accept-Encoding": "gzip"})
        assert re.search(r"\.[0-9a-f]{12}\.(css|js)$", name), name
        assert "immutable" in answer.headers["Cache-Control"], name
        assert answer.headers.get("Content-Encoding") == "gzip" or len(answer.content) < 1024, name


def test_modules_import_each_other_by_hashed_names(page: Page, site: Site) -> None:
    """A module that a changed page mixes with an old one from the cache would break in the middle of a study."""
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    sign_in(page, site)
    open_page(page, STAFF["its results"])
    page.wait_for_load_state("networkidle")
    scripts = [url for url in loaded if url.endswith(".js")]
    assert scripts
    assert [url for url in scripts if not re.search(r"\.[0-9a-f]{12}\.js$", url)] == []
