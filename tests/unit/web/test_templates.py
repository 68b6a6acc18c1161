"""What every template and script keeps to, so that the policy of pages can be strict."""

import re
from pathlib import Path

import pytest

WEB = Path(__file__).parents[3] / "app" / "web"
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))
SCRIPTS = sorted((WEB / "static").glob("*.js"))
SHEETS = sorted((WEB / "static").glob("*.css"))
SAMPLES = WEB / "templates" / "samples"  # stand-ins for pages of others


def own(path: Path) -> str:
    """A template of ours, without its comments."""
    return re.sub(r"{#.*?#}", "", path.read_text(encoding="utf-8"), flags=re.S)


@pytest.mark.parametrize(
    "forbidden",
    [
        r"\sstyle=",
        r"<style",
        r"\son[a-z]+\s*=\s*[\"']",
        r"<script(?![^>]*\ssrc=)",
        r"javascript:",
        r"hx-on|hx-vals=.js:",
        r"(\ssrc=|<link[^>]*\shref=)[\"'](https?:)?//",
        r"\|\s*safe\b",
        "[\U0001f000-\U0001faff\u2600-\u26ff\ufe0f]",
    ],
)
def test_no_template_holds(forbidden: str) -> None:
    found = [
        (path.name, match.group(0))
        for path in TEMPLATES
        if SAMPLES not in path.parents
        for match in re.finditer(forbidden, own(path))
    ]
    assert found == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_short_and_makes_no_markup_of_text(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.count("\n") < 200
    assert not re.search(
        r"\beval\b|new Function|innerHTML|insertAdjacentHTML|document\.write", text
    )


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_a_style_sheet_is_small_and_fetches_nothing(sheet: Path) -> None:
    text = sheet.read_text(encoding="utf-8")
    assert len(text.encode()) < 20_000
    assert not re.search(r"@import|url\(|@font-face", text)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_layouts_follow_the_size_of_the_readers_letters(sheet: Path) -> None:
    assert not re.search(r"@media[^{]*px", sheet.read_text(encoding="utf-8"))


def test_colours_are_chosen_in_one_sheet() -> None:
    choosing = [sheet.name for sheet in SHEETS if "light-dark(" in sheet.read_text("utf-8")]
    assert choosing == ["app.css"]


def test_everything_that_polls_can_be_paused() -> None:
    found = [
        (path.name, tag)
        for path in TEMPLATES
        for tag in re.findall(r"<[a-z]+[^>]*hx-trigger=\"[^\"]*every[^>]*>", own(path))
        if "data-live" not in tag
    ]
    assert found == []
