"""Asking on a page, and the list of what was asked."""

from flask import Flask

from tests import builders
from tests.visiting import Visitor


def ask(browser: Visitor, question: str, **options: str) -> str:
    sent = browser.post("/searches", {"query": question, **options})
    return str(sent.headers["Location"])


def test_a_stranger_reads_what_this_is(site: Flask) -> None:
    page = Visitor(site, None).get("/").text
    assert "Answers from your own sources" in page
    assert 'href="/sign-in"' in page


def test_a_form_sent_twice_starts_one_search_and_a_changed_one_another(browser: Visitor) -> None:
    first = ask(browser, "What is an owl?", key="k1")
    assert ask(browser, "What is an owl?", key="k1") == first
    assert ask(browser, "What is a barn owl?", key="k1") != first


def test_options_are_kept_to_be_edited_and_a_refused_form_says_what_is_wrong(
    browser: Visitor,
) -> None:
    options = {"depth": "deep", "max_sources": "3", "include_domains": "a.example b.example"}
    address = ask(browser, "What is an owl?", **options)
    form = browser.get(f"/?from={address.rpartition('/')[2]}").text
    assert 'value="What is an owl?"' in form
    assert '<option value="deep" selected>' in form
    assert 'value="a.example b.example"' in form
    assert '<input type="hidden" name="max_sources" value="3">' in browser.get(address).text

    wrong = {"query": "Owls?", "freshness": "soon", "max_sources": "many"}
    refused = browser.post("/searches", wrong)
    assert refused.status_code == 422
    assert 'value="Owls?"' in refused.text
    assert "Must be a number and h, d, w, m or y." in refused.text
    assert 'id="max_sources-problem"' in refused.text


def test_a_search_without_an_answer_says_so_in_the_list(browser: Visitor, site: Flask) -> None:
    search_id = ask(browser, "What is an owl?").rpartition("/")[2]
    builders.work(site.extensions["settings"], search_id)
    assert "No answer</span>" in browser.get("/searches").text


def test_the_list_shows_and_exports_what_its_filter_matches(browser: Visitor) -> None:
    assert "No searches yet" in browser.get("/searches").text
    owls = ask(browser, "What is an Owl?").rpartition("/")[2]
    mice = ask(browser, "=What is a mouse?").rpartition("/")[2]
    rows = browser.get("/searches?contains=owl&status=running").text
    assert owls in rows
    assert mice not in rows
    assert "/searches.csv?status=running&amp;contains=owl" in rows
    assert browser.get("/searches.csv?contains=owl").text.count("srch_") == 1
    assert [each["id"] for each in browser.get("/searches.json").json] == [mice, owls]
    assert "'=What is a mouse?" in browser.get("/searches.csv").text
    nothing = browser.get("/searches?contains=kestrel").text
    assert "Nothing matches this filter" in nothing
    assert 'class="count"' not in nothing  # those of all searches would not be true of these
    for refused in ("/searches?status=maybe", f"/searches.csv?contains={'x' * 201}"):
        assert browser.get(refused).status_code == 400


def test_a_persona_that_is_not_there_is_said_beside_the_form(browser: Visitor) -> None:
    refused = browser.post("/searches", {"query": "Why?", "persona_id": "nobody"})
    assert refused.status_code == 422
    assert "No persona with this name" in refused.text
    assert 'value="nobody"' in refused.text
