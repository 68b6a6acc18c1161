"""The style guide shows every component there is, from the templates that pages use."""

import re
from collections import Counter

import pytest
from flask import Flask
from jinja2.runtime import Macro

from app.web.frame.chips import KINDS, chip
from app.web.pages.operations import styleguide
from tests.visiting import Visitor


def test_every_macro_is_shown(site: Flask) -> None:
    environment = site.jinja_env
    module = environment.get_template("ui.html").module
    offered = {name for name, value in vars(module).items() if isinstance(value, Macro)}
    assert environment.loader is not None
    source, *_ = environment.loader.get_source(environment, "styleguide/show.html")
    shown = set(re.findall(r"\bui\.(\w+)\(", source))
    assert {name for name in offered if not name.startswith("_")} - shown == set()


def test_every_word_of_a_state_is_shown(browser: Visitor) -> None:
    page = browser.get("/styleguide").text
    chips = re.findall(r'<span class="chip \w+">.*?</span> ([^<]+)</span>', page)
    states = " ".join(KINDS.values()).split()
    assert {chip(state).word for state in states} - set(chips) == set()


def test_each_id_is_given_once(browser: Visitor) -> None:
    ids = Counter(re.findall(r'\sid="([^"]+)"', browser.get("/styleguide").text))
    assert [id for id, times in ids.items() if times > 1] == []


def test_the_tokens_are_those_of_the_style_sheet() -> None:
    colours, lengths = styleguide.tokens()
    assert colours[0] == ("bg", "#ffffff", "#101317")
    assert dict(lengths) == {
        "s1": 4, "s2": 8, "s3": 12, "s4": 16, "s6": 24, "s8": 32, "radius": 6
    }  # fmt: skip


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_it_is_shown_in_the_mode_of_its_address(browser: Visitor, mode: str) -> None:
    assert f'<html lang="en" data-theme="{mode}">' in browser.get(f"/styleguide?mode={mode}").text


def test_another_mode_is_that_of_the_reader(browser: Visitor) -> None:
    assert '<html lang="en">' in browser.get("/styleguide?mode=sepia").text


def test_buttons_of_examples_lead_back(browser: Visitor) -> None:
    assert browser.post("/styleguide", {"name": "x"}).headers["Location"] == "/styleguide"


def test_its_live_region_is_answered_alone(browser: Visitor) -> None:
    part = browser.get("/styleguide", live=True).text
    assert '<p id="clock-time">' in part
    assert "<h2" not in part
