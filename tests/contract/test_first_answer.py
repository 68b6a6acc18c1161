"""The first answer that a newcomer sees, over this very documentation."""

from functools import cache
from pathlib import Path

from app.engine.answer.evidence import Answer, Evidence
from app.engine.answer.extracts.extractive import answer
from app.engine.pages.page import Page
from app.engine.pages.passages import Passage, split
from app.engine.pages.read import read
from app.engine.search.interface import IndexedPassage
from app.engine.search.query import parse
from app.engine.search.rank import PassageCandidate, collapse, rescore
from app.local.embedded.first_run import QUESTION
from bench.memory_retriever import MemoryRetriever

DOCS = Path(__file__).parents[2] / "docs"


@cache
def cut_pages() -> list[tuple[Page, Passage]]:
    pages = [
        read(path.read_bytes(), "text/markdown", None, path.as_uri())
        for path in sorted(DOCS.rglob("*.md"))
    ]
    return [(page, passage) for page in pages for passage in split(page)]


@cache
def retriever() -> tuple[MemoryRetriever, list[IndexedPassage]]:
    retriever = MemoryRetriever()
    indexed = [
        IndexedPassage(
            id=id,
            source_id=page.title or "",
            text=page.text[passage.start : passage.end],
            title=page.title or "",
            headings=passage.heading_path,
            language=page.language,
        )
        for id, (page, passage) in enumerate(cut_pages())
    ]
    retriever.upsert("docs", indexed)
    return retriever, indexed


def ask(question: str) -> Answer:
    index, indexed = retriever()
    query = parse(question, ["en"])
    stats = index.stats("docs", query.terms)
    hits = index.lexical("docs", query.lexical(), 100)
    candidates = [PassageCandidate(indexed[hit.passage_id], hit.score) for hit in hits]
    ranked = collapse(rescore(query, candidates, stats))
    evidence = [
        Evidence(
            source=x.passage.id,
            snapshot=cut_pages()[x.passage.id][0].text,
            start=cut_pages()[x.passage.id][1].start,
            end=cut_pages()[x.passage.id][1].end,
            score=x.score,
            title=x.passage.title,
            headings=x.passage.headings,
            language=x.passage.language,
        )
        for x in ranked
    ]
    return answer(query, evidence, stats)


def test_the_first_answer_begins_with_what_happens() -> None:
    assert ask(QUESTION).text.startswith(
        "event: a worker is killed; consequence: its lease runs out"
    )


def test_a_setting_is_shown_with_the_columns_of_its_table() -> None:
    first = ask("What is JOB_LEASE_SECONDS?").sentences[0]
    assert first.startswith("variable: JOB_LEASE_SECONDS; default: 30.0; meaning: Time without")


def test_a_term_is_explained_by_a_sentence_and_not_by_a_signature() -> None:
    assert ask("What is a snapshot?").sentences[0].startswith("A snapshot is the text of a page")


def test_nonsense_is_refused() -> None:
    assert not any(ask(question).answered for question in ("x", "what is 2+2", "asdf"))
