"""Questions to try, from the headings of pages."""

from uuid import UUID

import pytest

from app.domains.library.passages.store import SectionTitles
from app.web.pages.search.example_questions import questions_of

PAGE, OTHER = UUID(int=1), UUID(int=2)


def of(*headings: str) -> list[str]:
    """Those of one page with these sections, the first of which is its title."""
    return questions_of([SectionTitles(PAGE, [headings[0], heading]) for heading in headings])


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Where do barn owls nest?", "Where do barn owls nest?"),
        ("How to count eggs in a nest", "How do I count eggs in a nest?"),
        ("Install the `owl` package", "How do I install the owl package?"),
        ("Restore your own backup.", "How do I restore my own backup?"),
        ("What is lost when something fails", "What is lost when something fails?"),
        ("What bounds each table", "What bounds each table?"),
    ],
)
def test_a_heading_becomes_the_question_that_its_section_answers(
    heading: str, question: str
) -> None:
    assert of("Manual", heading) == [question]


@pytest.mark.parametrize(
    "heading",
    [
        "What callers see",
        "What is not covered",
        "How it works",
        "Add it to them",
        "When a job fails",
        "How to",
        "1.2.3 2026-01-01",
        "word " * 30,
    ],
)
def test_what_would_be_no_question_becomes_none(heading: str) -> None:
    assert of("1.2.3", heading) == []


def test_a_page_without_such_sections_is_asked_for_its_topic() -> None:
    assert of("Barn owls", "Breeding") == ["What is said about Barn owls?"]


def test_sections_go_before_titles_and_each_page_has_one() -> None:
    titles = [
        SectionTitles(PAGE, ["Barn owls", "How to count eggs in a nest"]),
        SectionTitles(PAGE, ["Barn owls", "How to weigh an owl"]),
        SectionTitles(OTHER, ["Install the owl package", "Options"]),
    ]
    assert questions_of(titles) == [
        "How do I count eggs in a nest?",
        "How do I install the owl package?",
    ]


def test_there_are_three_at_most() -> None:
    titles = [SectionTitles(UUID(int=n), [f"Where do owls number {n} live?"]) for n in range(9)]
    assert len(questions_of([SectionTitles(x.source_id, x.headings * 2) for x in titles])) == 3
