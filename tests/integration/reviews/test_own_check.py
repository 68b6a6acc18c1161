"""Our own check of a record, as the worker does it, and what its failures leave behind."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.gold_items import MAKE
from app.domains.campaigns.reviews.store import Review
from app.domains.queue.jobs import service as jobs
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.sandbox.extraction_reader import ExtractionReader
from tests import builders
from tests.judged import ACCEPT, RECORD, TEXT, WHOLE, Court
from workers.campaigns import reviews as worker

STATED = (
    "/script[0]#/@type Product\n"
    "/script[0]#/name Blue lamp\n"
    "/script[0]#/price 20\n"
    "/script[0]#/color blue"
)
PAGE = {**WHOLE["page"], "text": f"{TEXT}{STATED}", "visible_end": len(TEXT)}


def record(price: float, quote: str) -> dict[str, Any]:
    provenance = [
        {**each, "quote": quote, "start": TEXT.index(quote)}
        if each["pointer"] == "/price"
        else each
        for each in RECORD["provenance"]
    ]
    return {"data": {**RECORD["data"], "price": price}, "provenance": provenance}


def opened(court: Court, whole: dict[str, Any] | None) -> UUID:
    """A record for which our own check waits."""
    court.judged.wholes[court.record_id] = whole
    with db.transaction() as tx:
        reviews.open(
            tx,
            court.record_id,
            1,
            payer_id=court.payer,
            k=2,
            contributor_id=court.contributor,
            deadline_at=db.value(tx, "select now() + interval '1 day'"),
        )
        return UUID(str(db.value(tx, "select id from jobs where kind = 'reviews.check'")))


def checked(court: Court, whole: dict[str, Any] | None) -> Review:
    builders.run(court.settings, [opened(court, whole)])
    return court.review()


def test_quotes_and_another_reading_agree_with_a_good_record(court: Court) -> None:
    review = checked(court, {**WHOLE, "page": PAGE})
    assert review.own_check is not None
    assert (review.own_check["quotes"], review.own_check["second_extraction"]) == (
        "agreed",
        "agreed",
    )
    assert not review.doubted
    assert len(review.assignments) == 2


def test_another_price_of_the_page_is_doubted(court: Court) -> None:
    review = checked(court, {**WHOLE, "record": record(30, "30 EUR"), "page": PAGE})
    assert review.doubted
    assert review.own_check is not None
    assert review.own_check["fields"] == ["/price"]


def test_a_value_that_its_quote_does_not_say_is_doubted(court: Court) -> None:
    review = checked(court, {**WHOLE, "record": record(25, "20 EUR"), "page": PAGE})
    assert review.own_check is not None
    assert review.own_check["quotes"] == "contradicted"


def test_a_record_that_is_gone_is_broken(court: Court) -> None:
    assert checked(court, None).state == "unresolved"


def test_a_page_that_cannot_be_read_again_says_nothing(
    court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: object) -> None:
        raise PageUnreadable(Unreadable.TOO_COSTLY)

    monkeypatch.setattr(ExtractionReader, "extract", fails)
    review = checked(court, {**WHOLE, "page": PAGE})
    assert review.own_check is not None
    assert review.own_check["second_extraction"] == "silent"
    assert review.state == "open"


def test_assignments_are_offered_when_our_check_fails_for_good(court: Court) -> None:
    job = opened(court, WHOLE)
    with db.transaction() as tx:
        jobs.cancel(tx, job)
    assert len(court.review().assignments) == 2


def test_with_nobody_there_and_no_patience_it_decides_at_once(
    court: Court, settings: Settings
) -> None:
    hasty = replace(settings, review_alone_seconds=0.0)
    builders.run(hasty, [opened(court, {**WHOLE, "page": PAGE})])
    assert court.judged.state == "accepted"


def test_another_source_that_states_the_same_speaks_for_it(court: Court) -> None:
    page = {**WHOLE["page"], "text": "Kavo 12 lamp\nCosts 20 EUR\n", "title": "Kavo 12 lamp"}
    data = {"name": "Kavo 12 lamp", "price": 20}
    provenance = [
        {"pointer": "/name", "quote": "Kavo 12 lamp", "start": 0},
        {"pointer": "/price", "quote": "20 EUR", "start": 19},
    ]
    whole = {**WHOLE, "page": page, "record": {"data": data, "provenance": provenance}}
    words = "The Kavo 12 lamp, tested in our kitchen for three weeks, is sold for 20 euros."
    builders.indexed_page("https://tests.example/lamps", f"# Lamps\n\n{words}\n")
    review = checked(court, whole)
    assert review.own_check is not None
    assert "second_source" in review.own_check
    outcome = worker.checked(court.settings, whole)
    assert (outcome.quotes, outcome.state) == ("agreed", "accepted")


def test_what_waits_is_attended_by_a_job(court: Court, settings: Settings) -> None:
    court.open()
    court.age(601)
    with db.transaction() as tx:
        job = jobs.enqueue(tx, reviews.ATTEND, jobs.OPERATOR, {})
    builders.run(settings, [job])
    assert court.judged.state == "accepted"


def test_gold_is_made_by_a_job(court: Court, settings: Settings) -> None:
    court.k = 1
    court.open()
    court.votes(ACCEPT)
    with db.transaction() as tx:
        tx.execute("update reviews set decided_at = now() - interval '4 days'")
        job = jobs.enqueue(tx, MAKE, jobs.OPERATOR, {})
    builders.run(settings, [job])
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from gold_items") == 1
    item = court.given(court.voter(right=0))
    assert item.gold
    assert item.record_id != ids.new()
