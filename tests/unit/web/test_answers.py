"""The answer of a search as its page shows it."""

import re
from typing import Any

import pytest
from markupsafe import Markup

from app.web.citations.quotes import MATCHES, NOT_FOUND, PAGE_CHANGED, digest
from app.web.pages.search import answer_view
from app.web.pages.search.answer_view import CitationView

PAGE = (
    "Barn owls\n\nA clutch holds four to seven eggs. They hatch after 30 days.\n\n$ owls --count\n4"
)
SOURCE = {
    "n": 1,
    "title": "Owls",
    "url": "https://birds.example.org/owls#top",
    "fetched_at": "2026-11-20T09:12:04Z",
    "content_hash": digest(PAGE),
}


def citation(answer: str, quote: str, **other: Any) -> dict[str, Any]:
    start = PAGE.index(quote)
    return {
        "n": 1,
        "source": 1,
        "quote": quote,
        "start": start,
        "end": start + len(quote),
        "lead_start": start,
        "lead_end": start + len(quote),
        "prefix": PAGE[max(0, start - 32) : start],
        "suffix": PAGE[start + len(quote) :][:32],
        "answer_start": answer.index(quote) if quote in answer else 0,
        "answer_end": answer.index(quote) + len(quote) if quote in answer else len(answer),
        "support": "verified",
        **other,
    }


def result(answer: str, *citations: dict[str, Any], mode: str = "extractive") -> dict[str, Any]:
    return {
        "answered": True,
        "confidence": 0.9,
        "answer": answer,
        "answer_mode": mode,
        "sources": [SOURCE, {**SOURCE, "n": 2, "title": "Nests"}],
        "citations": list(citations),
        "contradictions": [],
    }


def marker(each: CitationView) -> Markup:
    return Markup("<a>{}</a>").format(each.key)


def shown(found: dict[str, Any], text: str = PAGE) -> str:
    return str(answer_view.body(found, answer_view.cited(found, {1: text, 2: text}), marker))


EGGS = "A clutch holds four to seven eggs. They hatch after 30 days."
EXTRACT = f"{EGGS} [1]"


def test_a_passage_ends_with_its_marker() -> None:
    found = result(EXTRACT, citation(EXTRACT, EGGS))
    assert shown(found) == f'<div class="passage"><p>{EGGS}<a>1</a></p></div>'


def test_the_words_that_answer_are_in_bold() -> None:
    lead = {"lead_start": 11, "lead_end": 45}
    found = result(EXTRACT, citation(EXTRACT, EGGS, **lead))
    assert "<strong>A clutch holds four to seven eggs.</strong> They hatch" in shown(found)


def test_a_passage_of_a_document_says_its_page() -> None:
    found = result(EXTRACT, citation(EXTRACT, EGGS, page=12, headings=["Owls"]))
    assert shown(found).startswith('<div class="passage"><p class="soft">Owls, page 12</p>')


def test_a_link_to_a_document_leads_to_its_page() -> None:
    found = result(EXTRACT, citation(EXTRACT, EGGS, page=12))
    (view,) = answer_view.cited(found, {})
    assert view.live_address().endswith("#page=12")


def test_a_listing_looks_like_one_with_its_marker_below() -> None:
    text = "```\n$ owls --count\n4\n```\n[1]"
    cut = citation(text, "$ owls --count\n4", answer_start=0, answer_end=24)
    body = shown(result(text, cut))
    assert "<code>$ owls --count\n4</code></pre>" in body
    assert body.endswith("<p><a>1</a></p></div>")


def test_a_table_looks_like_one() -> None:
    text = "Owls: \n\nSpecies: Barn owl; Eggs: 7 [1]"
    quote = "Species | Eggs\nBarn owl | 7"
    cut = {**citation("", EGGS, answer_start=0, answer_end=len(text) - 4), "quote": quote}
    assert "<td>Barn owl</td><td>7<a>1</a></td>" in shown(result(text, cut))


def test_each_sentence_that_was_written_has_its_markers() -> None:
    text = "Up to seven. [1] After a month. [1][2]"
    written = [
        citation("", "four to seven eggs", answer_start=0, answer_end=12),
        citation("", "after 30 days", answer_start=17, answer_end=31),
        citation("", "They hatch", answer_start=17, answer_end=31, n=2, source=2),
    ]
    body = shown(result(text, *written, mode="written"))
    assert body == (
        '<div class="written">Up to seven.<a>1</a> After a month.<a>1b</a><a>2</a></div>'
    )


@pytest.mark.parametrize("count", [1, 3, 5, 40])
def test_there_is_one_marker_for_every_citation(count: int) -> None:
    cuts = [
        citation("", EGGS, answer_start=0, answer_end=2, source=1 + n % 2) for n in range(count)
    ]
    found = result("Up. [1][2]", *cuts, mode="written")
    keys = re.findall(r"<a>(.*?)</a>", shown(found))
    assert sorted(keys) == sorted(each.key for each in answer_view.cited(found, {}))
    assert len(set(keys)) == count


def test_more_than_three_markers_in_a_row_are_folded() -> None:
    cuts = [citation("", EGGS, answer_start=0, answer_end=2) for _ in range(5)]
    body = shown(result("Up. [1]", *cuts, mode="written"))
    assert "<summary>+2</summary><a>1d</a><a>1e</a>" in body


def test_a_marker_without_a_citation_is_told() -> None:
    assert answer_view.unresolved(result("Up. [1] Down. [7]", citation("", EGGS))) == {7}


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (PAGE, MATCHES),
        (PAGE.replace("seven", "nine"), NOT_FOUND),
        (PAGE.replace("--count", "--all"), PAGE_CHANGED),
    ],
)
def test_a_quote_is_compared_with_its_stored_page(text: str, state: str) -> None:
    [cited] = answer_view.cited(result(EXTRACT, citation(EXTRACT, EGGS)), {1: text})
    assert cited.state == state


@pytest.mark.parametrize(
    "cut",
    [
        citation(EXTRACT, EGGS, support="lexical"),
        {**citation(EXTRACT, EGGS), "quote": "Nine eggs."},
    ],
)
def test_what_is_less_than_sure_is_marked_as_such(cut: dict[str, Any]) -> None:
    assert '<div class="passage weak">' in shown(result(EXTRACT, cut))


def test_the_link_to_the_live_page_quotes_the_words_that_answer() -> None:
    cut = citation(EXTRACT, EGGS, lead_start=46, lead_end=71)
    [cited] = answer_view.cited(result(EXTRACT, cut), {})
    assert cited.live_address() == (
        "https://birds.example.org/owls#:~:text=They%20hatch%20after%2030%20days."
    )


def test_the_link_quotes_first_and_last_words_of_what_is_long() -> None:
    long = {**citation(EXTRACT, EGGS), "quote": "one two-three four, five six seven\neight nine"}
    [cited] = answer_view.cited(result(EXTRACT, long), {})
    assert (cited.live_address() or "").partition("#:~:text=")[2].split(",") == [
        "one%20two%2Dthree%20four%2C%20five",
        "six%20seven%20eight%20nine",
    ]


def test_a_file_has_no_live_page() -> None:
    found = result(EXTRACT, citation(EXTRACT, EGGS))
    found["sources"][0] = {**SOURCE, "url": "javascript:alert(1)"}
    assert answer_view.cited(found, {})[0].live_address() is None


def test_what_is_copied_holds_the_answer_its_sources_and_quotes() -> None:
    search = {"query": "How many\neggs?", "result": result(EXTRACT, citation(EXTRACT, EGGS))}
    assert answer_view.markdown(search).split("\n") == [
        "# How many eggs?",
        "",
        EXTRACT,
        "",
        "## Sources",
        "",
        "[1] Owls",
        f"<https://birds.example.org/owls#top> (stored 2026-11-20T09:12:04Z, {digest(PAGE)})",
        "",
        f"> {EGGS}",
        "",
        "characters 11-71",
        "",
    ]


def test_what_is_copied_says_first_what_is_doubtful() -> None:
    doubtful = {**result(EXTRACT, citation(EXTRACT, EGGS)), "confidence": 0.3}
    copied = answer_view.markdown({"query": "How many eggs?", "result": doubtful})
    assert copied.split("\n")[2].startswith("Perhaps: ")


@pytest.mark.parametrize(
    ("warning", "shown"),
    [
        ("model_slow: the model took too long.", "The model took too long."),
        ("/price: a default is ignored.", "/price: a default is ignored."),
        ("Note: nothing was read.", "Note: nothing was read."),
    ],
)
def test_a_warning_is_shown_without_the_code_that_programs_go_by(warning: str, shown: str) -> None:
    assert answer_view.sentence(warning) == shown
