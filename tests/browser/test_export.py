"""The export as staff use it: choices, one click, a ZIP that the real server streams."""

import json
import re
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site, sign_in


def test_staff_download_a_study(page: Page, site: Site, tmp_path: Path) -> None:
    sign_in(page, site)
    page.goto("/staff/studies/")
    page.get_by_role("link", name="How do you play Match-3?", exact=True).click()
    page.get_by_role("link", name="Export").click()
    page.get_by_label("JSON").check()
    page.get_by_label("With bots").check()
    with page.expect_download() as begun:
        page.get_by_role("button", name="Download").click()
    download = begun.value
    assert re.fullmatch(r"[a-z0-9-]+-\d{4}-\d\d-\d\d\.zip", download.suggested_filename)
    path = tmp_path / "export.zip"
    download.save_as(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        (name,) = [name for name in archive.namelist() if name.endswith("/manifest.json")]
        said = json.loads(archive.read(name))
        rows = json.loads(archive.read(name.replace("manifest", "participants")))
    assert (said["formats"], said["filters"]["kind"]) == (["csv", "json"], ["person", "bot"])
    assert said["tables"]["participants"] == len(rows)
    expect(page.get_by_role("button", name="Download")).to_be_enabled()
