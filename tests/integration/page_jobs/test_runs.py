"""How runs end: cancelled, at their deadline, with what they have; and what they say of it."""

import json
from datetime import UTC, datetime

import pytest

from app.core import db
from app.domains.records.page_jobs import presentation
from app.domains.records.page_jobs import service as extractions
from app.engine.extraction.site.consensus import FEWEST_PAGES
from tests.integration.page_jobs.reading import LAMP, Workshop, lamp
from tests.patience import PATIENCE_SECONDS
from workers.records.lanes import lane

pytestmark = pytest.mark.usefixtures("database")


def test_a_cancelled_job_keeps_the_records_it_has_and_gets_no_more(shop: Workshop) -> None:
    shop.lamps(60)
    job = shop.submit(shop.urls(*(f"/{n}" for n in range(60))))
    shop.work(most=2)  # the plan, and one lane
    with db.transaction() as tx:
        extractions.cancel(tx, shop.account_id, job.id)
    before = shop.outcome(job)
    shop.work()
    after = shop.outcome(job)
    assert (after.job.status, after.run.stop_reason) == ("cancelled", "cancelled")
    assert 0 < len(before.records) == len(after.records) < 60


def test_at_its_deadline_a_run_ends_with_what_it_has_and_no_lane_writes_anything(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "SLICE_SECONDS", PATIENCE_SECONDS)  # however long its pages take
    shop.lamps(60)
    job = shop.submit(shop.urls(*(f"/{n}" for n in range(60))))
    shop.work(most=2)
    halfway = shop.outcome(job)
    assert (halfway.job.status, halfway.run.done) == ("running", 20)
    assert not halfway.records[0].final
    shop.pass_deadline(job)
    shop.work(most=1)
    records = len(shop.outcome(job).records)
    shop.work()
    ended = shop.outcome(job)
    assert len(ended.records) == records
    assert (ended.job.status, ended.run.stop_reason) == ("completed", "deadline")
    assert 0 < len(ended.records) < 60


def test_the_parts_of_an_ended_run_are_no_longer_open(shop: Workshop) -> None:
    shop.lamps(25)
    shop.read(shop.urls(*(f"/{n}" for n in range(25))))
    assert {state for _, state in shop.states()} == {"succeeded"}


def test_a_page_that_holds_more_than_is_read_is_a_warning(shop: Workshop) -> None:
    stated = json.dumps({f"note{n}": str(n) for n in range(5_001)})
    script = f"<script type='application/ld+json'>{stated}</script>"
    shop.site.pages |= {"/a": lamp("Alder", 9.5, head=script), "/b": lamp("Birch", 19.5)}
    (warning,) = shop.read(shop.urls("/a", "/b")).job.warnings
    assert warning.startswith(f"page_truncated: {shop.site.url}/a: ")


def test_one_page_at_several_addresses_is_read_as_at_one(shop: Workshop) -> None:
    rows = "<tr><th>Name<td>Owl lamp</tr><tr><th>Price<td>$15</tr>"
    page = f"<title>Owl</title><h1>Owl lamp</h1><table>{rows}</table>"
    addresses = [f"/lamp{n}" for n in range(FEWEST_PAGES + 1)]
    shop.site.pages |= dict.fromkeys(addresses, page)
    records = shop.read(shop.urls(*addresses)).records
    assert [x.data for x in records] == [{"name": "Owl lamp", "price": 15}] * len(addresses)


def test_a_run_says_how_many_records_are_not_all_that_the_schema_wants(shop: Workshop) -> None:
    shop.lamps(3)
    never = {"type": "string", "description": "the colour of the bulb's socket ring"}
    wanted = {"type": "object", "properties": {**LAMP["properties"], "socket_ring": never}}
    demanded = {**wanted, "required": ["socket_ring"]}
    read = shop.read(shop.urls("/0", "/1", "/2"), schema=demanded)
    assert read.run.stats["unsatisfied"] == len(read.records) == 3
    assert read.run.stats["fields"] == {"name": 3, "price": 3}
    assert presentation.coverage(read.job) == 0.667
    assert shop.read(shop.urls("/0"), schema=wanted).run.stats["unsatisfied"] == 0


def test_what_was_kept_for_the_run_alone_is_dropped_at_its_end(shop: Workshop) -> None:
    shop.lamps(2)
    shop.read(shop.urls("/0", "/1"), validation={"sample_rate": 1.0})
    with db.reading() as reader:
        left = db.value(
            reader,
            "select count(*) from extraction_pages where body is not null or readings is not null",
        )
    assert left == 0


def test_a_sample_is_read_a_second_time_from_what_is_stored(shop: Workshop) -> None:
    shop.lamps(10)
    read = shop.read(shop.urls(*(f"/{n}" for n in range(10))), validation={"sample_rate": 0.5})
    validation = read.run.validation or {}
    assert (validation["sampled"], validation["sample_rate"]) == (5, 0.5)
    assert sum(shop.site.requests[f"/{n}"] for n in range(10)) == 10


def test_hosts_that_need_a_pause_get_one_lane_each(shop: Workshop) -> None:
    shop.lamps(8)
    shop.site.pages["/robots.txt"] = (
        200,
        {"Content-Type": "text/plain"},
        b"User-agent: *\nCrawl-delay: 1",
    )
    shop.submit(shop.urls(*(f"/{n}" for n in range(8))))
    shop.work(most=1)
    assert [kind for kind, state in shop.states() if state == "queued"] == ["extractions.pages"]


def test_a_host_that_rests_is_waited_for_by_a_later_lane(shop: Workshop) -> None:
    shop.lamps(3)
    shop.site.pages["/robots.txt"] = (
        200,
        {"Content-Type": "text/plain"},
        b"User-agent: *\nCrawl-delay: 30",
    )
    shop.submit(shop.urls("/0", "/1", "/2"))
    shop.work()
    with db.reading() as reader:
        later = db.value(
            reader,
            "select min(run_at) from jobs where kind = 'extractions.pages' and state = 'queued'",
        )
    assert later > datetime.now(UTC)
