"""A page that says of itself that it is about an old version is known as such."""

import pytest

from app.engine.pages.formats.html import read_html
from app.engine.pages.page import Page

TEXT = "<p>A paragraph of the document itself, long enough to be taken for prose by anybody.</p>"


def read(notice: str, url: str = "https://a.example/9.1/x.html", head: str = "") -> Page:
    return read_html(f"<head>{head}</head><body>{notice}<main>{TEXT}</main></body>", url)


@pytest.mark.parametrize(
    "notice",
    [
        "This documentation is for an unsupported version of PostgreSQL.",
        "This document is for an old version of Python that is no longer supported.",
        "This document describes Django 1.8, an <a href='/'>insecure version</a> of Django that is "
        "no longer supported. Please upgrade!",
        "This is documentation for <b>Widget 1.0</b>, which is no longer actively maintained.",
        "You are reading an old version of the documentation.",
        "You are not reading the most recent version of this documentation.",
        "A newer version of this page is available.",
        "Dies ist eine veraltete Version dieser Dokumentation.",
    ],
)
def test_a_notice_says_that_a_page_is_outdated(notice: str) -> None:
    assert read(f"<div class='banner'>{notice}</div>").outdated


@pytest.mark.parametrize(
    "text",
    [
        "This page describes how old versions of a file are kept.",
        "You are viewing the latest version of the documentation.",
        "A newer version of the compiler is available.",
        "This function is no longer supported.",
    ],
)
def test_text_about_versions_does_not(text: str) -> None:
    assert not read(f"<p>{text}</p>").outdated


def test_a_notice_that_is_not_shown_does_not() -> None:
    hidden = "<div style='display: none'>You are reading an old version of the documentation.</div>"
    assert not read(hidden).outdated


@pytest.mark.parametrize(("version", "outdated"), [("16", True), ("9.1", False)])
def test_a_page_that_calls_a_newer_version_its_own_address_is_outdated(
    version: str, outdated: bool
) -> None:
    canonical = f'<link rel="canonical" href="https://a.example/{version}/x.html">'
    assert read("", head=canonical).outdated is outdated
