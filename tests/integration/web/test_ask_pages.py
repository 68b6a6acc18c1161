"""The first minute: what is searched, questions to try, follow-ups, and ways on from a refusal."""

import io

from flask import Flask
from markupsafe import escape

from tests import builders
from tests.integration.documents.conftest import read_all
from tests.visiting import Visitor

OWLS = """# Barn owls

## How to count eggs in a nest

A clutch of the barn owl holds four to seven eggs, which hatch after 30 days.
"""


def ask(browser: Visitor, question: str, **options: str | list[str]) -> str:
    """The address of a search."""
    return str(browser.post("/searches", {"query": question, **options}).headers["Location"])


def upload(site: Flask, browser: Visitor, name: str, key: str, text: str) -> str:
    """The id of a corpus with one document, which is read."""
    path = str(browser.post("/documents", {"name": name}).headers["Location"])
    browser.post(f"{path}/upload", {"files": [(io.BytesIO(text.encode()), key)]})
    read_all(site.extensions["settings"])
    return path.rpartition("/")[2]


def test_the_first_page_names_what_is_searched_and_what_can_be_asked(
    site: Flask, browser: Visitor
) -> None:
    empty = browser.get("/").text
    assert "Nothing is indexed yet" in empty
    assert "Questions to try" not in empty
    corpus = upload(site, browser, "handbook", "owls.md", OWLS)
    page = browser.get("/").text
    assert "Searches handbook, 1 document." in page
    assert "How do I count eggs in a nest?</button>" in page
    other = upload(site, browser, "notes", "mice.md", "# Mice\n\nA mouse eats barley.\n")
    page = browser.get("/").text
    assert f'name="corpora" value="{corpus}" checked' in page
    assert f'name="corpora" value="{other}" checked' in page


def test_of_all_corpora_none_is_named_and_of_some_these_are_kept(
    site: Flask, browser: Visitor
) -> None:
    corpus = upload(site, browser, "handbook", "owls.md", OWLS)
    other = upload(site, browser, "notes", "mice.md", "# Mice\n\nA mouse eats barley.\n")
    all_of_them = ask(browser, "What is an owl?", corpora=[corpus, other])
    assert "corp_" not in browser.get(all_of_them).text
    one = ask(browser, "What is a mouse?", corpora=[other])
    again = browser.get(f"/?from={one.rpartition('/')[2]}").text
    assert f'value="{other}" checked' in again
    assert f'value="{corpus}" checked' not in again
    assert f'<input type="hidden" name="corpora" value="{other}">' in browser.get(one).text


def test_a_question_to_no_corpus_at_all_is_refused(site: Flask, browser: Visitor) -> None:
    upload(site, browser, "handbook", "owls.md", OWLS)
    upload(site, browser, "notes", "mice.md", "# Mice\n\nA mouse eats barley.\n")
    assert '<input type="hidden" name="corpora" value="">' in browser.get("/").text
    refused = browser.post("/searches", {"query": "What is an owl?", "corpora": [""]})
    assert refused.status_code == 422
    assert "Select at least one." in refused.text


def test_a_follow_up_says_what_it_follows_and_is_answered_with_it(
    site: Flask, browser: Visitor
) -> None:
    upload(site, browser, "handbook", "owls.md", OWLS)
    first = ask(browser, "How many eggs are in the clutch of a barn owl?")
    builders.work(site.extensions["settings"], first.rpartition("/")[2])
    search_id = first.rpartition("/")[2]
    assert f'<input type="hidden" name="follows" value="{search_id}">' in browser.get(first).text
    then = ask(browser, "When do they hatch?", follows=search_id)
    builders.work(site.extensions["settings"], then.rpartition("/")[2])
    page = browser.get(then).text
    assert f'Follows <a id="followed" href="{first}">How many eggs' in page
    assert "hatch after 30 days" in page


def test_a_refused_question_keeps_where_it_searches(site: Flask, browser: Visitor) -> None:
    corpus = upload(site, browser, "handbook", "owls.md", OWLS)
    other = upload(site, browser, "notes", "mice.md", "# Mice\n\nA mouse eats barley.\n")
    sent = {"query": "owls", "freshness": "never", "filter": '{"a": 1}', "corpora": [other]}
    refused = browser.post("/searches", sent)
    assert refused.status_code == 422
    assert 'name="filter" value="{&#34;a&#34;: 1}"' in refused.text
    assert f'value="{other}" checked' in refused.text
    assert f'value="{corpus}" checked' not in refused.text


def test_a_search_that_is_gone_cannot_be_followed(browser: Visitor) -> None:
    gone = browser.post("/searches", {"query": "And then?", "follows": "srch_" + "a" * 26})
    assert gone.status_code == 422
    assert "The search that this question refers to is gone." in gone.text


def test_a_refusal_leads_on(site: Flask, browser: Visitor) -> None:
    corpus = upload(site, browser, "handbook", "owls.md", OWLS)
    upload(site, browser, "notes", "mice.md", "# Mice\n\nA mouse eats barley.\n")
    refused = ask(browser, "Who won the cup final in Rome?", corpora=[corpus])
    builders.work(site.extensions["settings"], refused.rpartition("/")[2])
    page = browser.get(refused).text
    assert f'href="/?from={refused.rpartition("/")[2]}">Ask differently</a>' in page
    assert 'id="search-all"' in page
    assert 'id="search-deeper"' in page
    assert 'href="/documents">Add documents</a>' in page
    assert "index a site" not in page  # for operators


def test_a_search_with_a_filter_is_asked_again_with_it(site: Flask, browser: Visitor) -> None:
    upload(site, browser, "handbook", "owls.md", OWLS)
    where = '{"and": [{"eq": "birds", "field": "team"}]}'
    asked = ask(browser, "What is an owl?", filter=where)
    hidden = f'name="filter" value="{escape(where)}"'
    assert hidden in browser.get(asked).text
    assert hidden in browser.get(f"/?from={asked.rpartition('/')[2]}").text
    for refused in ("{", "[]", '{"and": []}'):
        assert browser.post("/searches", {"query": "x", "filter": refused}).status_code == 422
