"""Figures taken away as files, in Chromium under the site's own policy: each kind says by itself what it shows."""

import csv
import io
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PHONE, PageMaker, Site, sign_in
from tests.browser.test_levels import PLAYED, add_level, scores_figure

AxeCheck = Callable[[Page], None]
SVG = "{http://www.w3.org/2000/svg}"
PAPER = (255, 255, 255)


@pytest.fixture(scope="module")
def level(site: Site, browser: Browser) -> Iterator[str]:
    """The address of a level that all agents have played."""
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    sign_in(page, site)
    add_level(page, seed=43, name="Mill race")
    expect(page.get_by_role("progressbar", name="Games played")).to_have_count(0, timeout=PLAYED)
    yield page.url
    context.close()


def saved(page: Page, kind: str) -> Path:
    figure = scores_figure(page)
    group = figure.get_by_role("group", name="Download: Scores of agents on Mill race v1")
    with page.expect_download() as download:
        group.get_by_role("link" if kind == "csv" else "button", name=kind.upper()).click()
    assert download.value.suggested_filename.endswith(f".{kind}")
    return Path(download.value.path())


def caption_of(page: Page) -> str:
    return " ".join((scores_figure(page).locator("figcaption").text_content() or "").split())


@pytest.mark.parametrize("options", [{}, {**PHONE, "color_scheme": "dark"}], ids=["desk, light", "phone, dark"])
def test_svg_is_whole_and_the_same_for_every_reader(
    site: Site, level: str, new_page: PageMaker, options: dict[str, object]
) -> None:
    page = new_page(**options)
    sign_in(page, site)
    page.goto(level)
    text = saved(page, "svg").read_text(encoding="utf-8")
    picture = ElementTree.fromstring(text)
    assert picture.tag == f"{SVG}svg"
    assert picture.get("width") == str(720 + 2 * 16)
    words = [" ".join(node.itertext()) for node in picture.iter(f"{SVG}text")]
    assert words[-1].endswith("."), "the note ends the picture"
    together = " ".join(words)
    assert "Scores of agents on Mill race v1" in together
    for part in caption_of(page).split(" ")[:40]:
        assert part in together
    for label in ("MaxS", "Vanilla", "Random", "n = 100"):
        assert label in together
    # Colours of paper, whatever the reader's theme is, and nothing from anywhere else.
    assert '"#1c2029"' in text
    assert "var(" not in text
    assert "href" not in text
    expect(scores_figure(page).get_by_role("status")).to_have_text("SVG saved.")


def test_png_is_sharp_and_holds_the_words(site: Site, level: str, new_page: PageMaker) -> None:
    page = new_page(color_scheme="dark")
    sign_in(page, site)
    page.goto(level)
    data = saved(page, "png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert width == 2 * (720 + 2 * 16)
    drawn = ElementTree.fromstring(saved(page, "svg").read_text(encoding="utf-8"))
    assert height == pytest.approx(2 * float(drawn.get("height", 0)), abs=4), "title and caption are in it, too"
    page.goto("about:blank")
    shown = page.evaluate(
        """async (bytes) => {
            const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)], {type: "image/png"}));
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [picture.width, picture.height];
            const brush = canvas.getContext("2d");
            brush.drawImage(picture, 0, 0);
            const dark = (top, bottom) => {
                const {data} = brush.getImageData(0, top, picture.width, bottom - top);
                return data.reduce((sum, value, place) => sum + (place % 4 === 0 && value < 128), 0);
            };
            const corner = Array.from(brush.getImageData(2, 2, 1, 1).data.slice(0, 3));
            return {corner, title: dark(0, 80), caption: dark(picture.height - 100, picture.height)};
        }""",
        list(data),
    )
    assert tuple(shown["corner"]) == PAPER
    assert shown["title"] > 200
    assert shown["caption"] > 200


def test_csv_has_every_game(site: Site, level: str, new_page: PageMaker) -> None:
    page = new_page()
    sign_in(page, site)
    page.goto(level)
    rows = list(csv.DictReader(io.StringIO(saved(page, "csv").read_text(encoding="utf-8"))))
    assert {row["level"] for row in rows} == {"Mill race v1"}
    assert sum(row["who"] == "MaxS" for row in rows) == 100


def test_files_are_reached_by_keyboard(site: Site, level: str, new_page: PageMaker) -> None:
    page = new_page()
    sign_in(page, site)
    page.goto(level)
    button = scores_figure(page).get_by_role("button", name="SVG")
    button.focus()
    with page.expect_download():
        page.keyboard.press("Enter")
    expect(button).to_be_focused()
    page.keyboard.press("Tab")
    expect(scores_figure(page).get_by_role("button", name="PNG")).to_be_focused()


def test_report_opens_without_the_site_and_prints(
    site: Site, level: str, browser: Browser, new_page: PageMaker, axe: AxeCheck, tmp_path: Path
) -> None:
    page = new_page()
    sign_in(page, site)
    page.goto(level)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download report").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    page.goto("about:blank")
    for options in ({"color_scheme": "light"}, {**PHONE, "color_scheme": "dark"}):
        reader = new_page(**options)
        reader.context.set_offline(True)
        asked: list[str] = []
        reader.on("request", lambda request, asked=asked: asked.append(request.url))
        reader.goto(path.as_uri())
        expect(reader.get_by_role("heading", level=1)).to_have_text("Mill race v1")
        expect(reader.locator("figure svg")).to_have_count(2)
        assert asked == [path.as_uri()]
        assert reader.evaluate("document.documentElement.scrollWidth <= innerWidth")
        ink = reader.locator("figure svg .role-axis-label text").first.evaluate("node => getComputedStyle(node).fill")
        assert ink == reader.evaluate("getComputedStyle(document.body).color")
        axe(reader)
        if pictures := os.environ.get("TESSERA_PICTURES"):
            reader.screenshot(path=f"{pictures}/report-{options['color_scheme']}.png", full_page=True)
    paper = browser.new_context(java_script_enabled=False).new_page()
    paper.goto(path.as_uri())
    data = paper.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    paper.context.close()
    assert data.startswith(b"%PDF")
    # A4 in points, and more than a page of it.
    assert b"/MediaBox [0 0 594.95996 841.91998]" in data or b"/MediaBox [0 0 595" in data
    assert data.count(b"/Type /Page\n") > 1
