"""Outcomes of pages in words: each has some, and those with a remedy say what to do."""

import pytest

from app.domains.library.corpora import visits
from app.domains.records.page_jobs.runs import results
from app.engine.fetch.failure import REASONS
from app.engine.pages.page import Unreadable
from app.web.frame import outcomes
from app.web.frame.outcomes import of_page


@pytest.mark.parametrize("name", sorted({*REASONS, *(reason.value for reason in Unreadable)}))
def test_every_reason_for_which_nothing_was_read_has_words(name: str) -> None:
    assert name in outcomes.FAILED


def test_outcomes_of_pages_that_were_read_are_no_failures() -> None:
    assert set(results.WELL) == set(outcomes.WELL)
    assert visits.NOINDEX in outcomes.FAILED


def test_a_private_host_is_named_as_the_setting_wants_it() -> None:
    told = of_page("port_not_allowed", "http://me:secret@intranet.example.org:8080/a?b=c")
    assert told.words == "Port not allowed"
    assert (
        told.remedy
        == "The operator can allow it with EXTRACT_FETCH_ALLOW=intranet.example.org:8080."
    )


def test_an_address_that_is_none_leaves_the_host_open() -> None:
    assert of_page("invalid_url", "http://[x").remedy == "Correct the address."
    assert of_page("host_not_allowed", "http://[x").remedy.endswith("=host:port.")


@pytest.mark.parametrize(
    ("name", "words", "remedy"),
    [
        ("http_404", "Page not found", "Correct the address."),
        ("http_503", "The server answered with HTTP 503", "Try again later."),
        ("http_418", "The server answered with HTTP 418", ""),
        ("http_9999", "Http 9999", ""),
    ],
)
def test_statuses_are_told_by_what_they_mean(name: str, words: str, remedy: str) -> None:
    assert of_page(name) == (words, remedy)
