"""Runs of monitors over a site whose pages change: what they say of each page."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.core import db
from app.domains.library.passages import store
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.runs import erasure
from tests.integration.monitors.watching import Watching
from tests.integration.page_jobs.reading import lamp


def test_a_page_is_new_in_the_first_run_and_the_same_for_as_long_as_it_says_the_same(
    shop: Watching,
) -> None:
    shop.lamps(2)
    job = shop.watch(shop.urls("/0", "/1"))
    assert shop.verdicts(shop.last(job)) == {"new": 2}
    assert shop.verdicts(shop.run(job)) == {"same": 2}
    assert shop.site.conditional["/0"] == 1
    shop.site.pages["/0"] = lamp("Lamp 0", 0.5, head="<meta name=token content=x81>")
    run = shop.run(job)
    assert shop.verdicts(run) == {"same": 2}
    assert run.records == 0
    assert shop.changes(job) == []


def test_a_changed_field_has_both_values_with_their_passages(shop: Watching) -> None:
    shop.site.pages["/0"] = lamp("Lamp", 9.5)
    job = shop.watch(shop.urls("/0"))
    shop.site.pages["/0"] = lamp("Lamp", 8.25)
    run = shop.run(job)
    assert shop.verdicts(run) == {"changed": 1}
    (change,) = shop.changes(job)
    (field,) = change.fields
    assert (change.verdict, change.run_id, field["pointer"]) == ("changed", run.id, "/price")
    assert (field["previous"]["value"], field["current"]["value"]) == (9.5, 8.25)
    for side in (field["previous"], field["current"]):
        text = shop.text_cited(side)
        assert side["quote"] == text[side["start"] : side["end"]]


def test_every_tenth_run_reads_what_the_site_says_is_unchanged(shop: Watching) -> None:
    shop.lamps(1)
    job = shop.watch(shop.urls("/0"))
    for _ in range(9):
        shop.run(job)
    assert shop.last(job).n == 10
    assert shop.site.conditional["/0"] == 8


def test_a_page_that_is_gone_twice_in_a_row_is_removed_once_and_its_return_is_news(
    shop: Watching,
) -> None:
    shop.lamps(2)
    job = shop.watch(shop.urls("/0", "/1"))
    page = shop.site.pages.pop("/1")
    assert shop.verdicts(shop.run(job)) == {"same": 1, "error": 1}
    shop.site.pages["/1"] = page
    assert shop.verdicts(shop.run(job)) == {"same": 2}
    del shop.site.pages["/1"]
    assert shop.verdicts(shop.run(job)) == {"same": 1, "error": 1}
    assert shop.changes(job) == []
    assert shop.verdicts(shop.run(job)) == {"same": 1, "removed": 1}
    assert [(c.verdict, c.url) for c in shop.changes(job)] == [("removed", shop.site.url + "/1")]
    shop.run(job)
    shop.site.pages["/1"] = page
    assert shop.verdicts(shop.run(job)) == {"same": 1, "new": 1}
    back, removed = shop.changes(job)
    assert (back.verdict, back.returned, removed.verdict) == ("new", True, "removed")


@pytest.mark.parametrize(
    "broken",
    [
        (503, {}, b""),
        (429, {"Retry-After": "0"}, b""),
        (200, {"Content-Type": "image/png"}, b"x"),
        (403, {}, b""),
    ],
)
def test_what_says_nothing_of_a_page_never_removes_it(shop: Watching, broken: Any) -> None:
    shop.lamps(2)
    job = shop.watch(shop.urls("/0", "/1"))
    page, shop.site.pages["/1"] = shop.site.pages["/1"], broken
    for _ in range(2):
        assert shop.verdicts(shop.run(job)) == {"same": 1, "error": 1}
    shop.site.pages["/1"] = page
    assert shop.verdicts(shop.run(job)) == {"same": 2}
    assert shop.changes(job) == []


def test_a_field_that_is_back_half_a_minute_later_was_never_gone(shop: Watching) -> None:
    page = lamp("Lamp", 9.5)
    shop.site.pages["/0"] = page
    job = shop.watch(shop.urls("/0"))
    shop.site.pages["/0"] = "<html lang=en><body><main><h1>Lamp</h1></main></body></html>"
    shop.begin(job)
    shop.work()
    shop.site.pages["/0"] = page
    shop.finish()
    assert shop.verdicts(shop.last(job)) == {"same": 1}


def test_a_page_the_sitemap_lists_no_more_is_asked_directly_and_one_it_lists_newly_is_new(
    shop: Watching,
) -> None:
    shop.lamps(3)
    shop.sitemap("/0", "/1")
    job = shop.watch({"type": "sitemap", "url": shop.site.url + "/sitemap.xml"})
    shop.sitemap("/0", "/2")
    assert shop.verdicts(shop.run(job)) == {"same": 2, "new": 1}
    assert [change.verdict for change in shop.changes(job)] == ["new"]


def test_an_outage_of_most_of_a_site_removes_nothing(shop: Watching) -> None:
    shop.lamps(10)
    paths = [f"/{n}" for n in range(10)]
    job = shop.watch(shop.urls(*paths))
    pages = dict(shop.site.pages)
    for path in paths[:6]:
        del shop.site.pages[path]
    for _ in range(3):
        run = shop.run(job)
        assert run.stats["suspect"] is True
    assert shop.changes(job) == []
    shop.site.pages.update(pages)
    assert shop.verdicts(shop.run(job)) == {"same": 10}


def test_a_page_that_moved_for_good_is_compared_where_it_is(shop: Watching) -> None:
    shop.site.pages["/0"] = lamp("Lamp", 9.5)
    job = shop.watch(shop.urls("/0"))
    shop.site.pages["/new"] = lamp("Lamp", 8.0)
    shop.site.pages["/0"] = (301, {"Location": "/new"}, b"")
    assert shop.verdicts(shop.run(job)) == {"changed": 1}
    (change,) = shop.changes(job)
    assert change.moved_to == shop.site.url + "/new"


def test_a_page_that_leads_to_another_one_of_the_run_has_no_verdict(shop: Watching) -> None:
    shop.lamps(2)
    job = shop.watch(shop.urls("/0", "/1"))
    shop.site.pages["/0"] = (301, {"Location": "/1"}, b"")
    run = shop.run(job)
    assert (run.stats["outcomes"], shop.verdicts(run)) == (
        {"duplicate": 1, "unchanged": 1},
        {"same": 1},
    )


def test_a_page_that_names_another_as_its_own_has_no_verdict(shop: Watching) -> None:
    shop.site.pages["/start"] = '<a href="/copy">a</a><a href="/lamp">b</a>'
    shop.site.pages["/lamp"] = lamp("Lamp", 9.5)
    shop.site.pages["/copy"] = lamp("Lamp", 9.5, head='<link rel="canonical" href="/lamp">')
    job = shop.watch({"type": "crawl", "url": f"{shop.site.url}/start", "max_depth": 1})
    run = shop.last(job)
    assert run.stats["outcomes"]["canonical"] == 1
    assert shop.verdicts(run) == {"new": 2}


def test_old_pages_are_read_by_the_code_of_today(shop: Watching) -> None:
    shop.site.pages["/0"] = lamp("Lamp", 9.5)
    job = shop.watch(shop.urls("/0"))
    with db.transaction() as tx:
        tx.execute(
            """update monitor_pages set settled = false, state = jsonb_set(jsonb_set(state,
                '{version}', '"0"'), '{records,0,cells,/price,value}', '1')"""
        )
    assert shop.verdicts(shop.run(job)) == {"same": 1}


def test_without_a_schema_the_text_is_compared(shop: Watching) -> None:
    shop.site.page("/0", "Opening hours. We open at nine.\n\nCall us any day of the week.")
    job = shop.watch(shop.urls("/0"), lines=True)
    shop.site.page("/0", "Opening hours. We open at ten.\n\nCall us any day of the week.")
    assert shop.verdicts(shop.run(job)) == {"changed": 1}
    (change,) = shop.changes(job)
    assert change.difference.splitlines()[-2:] == [
        "- Opening hours. We open at nine.",
        "+ Opening hours. We open at ten.",
    ]
    assert shop.verdicts(shop.run(job)) == {"same": 1}


def test_places_that_never_keep_still_are_named_in_the_run(shop: Watching) -> None:
    fetches = iter(range(1_000))

    def page() -> str:
        advert = "abcdefgh"[next(fetches) % 8]
        text = "Some text about lamps that stays as it is. " * 10
        return f"<html lang=en><body><main><p>{text}</p><div class=ad>Ad {advert}</div></main>"

    job = shop.watch_changing("/0", page)
    run = shop.run(job)
    assert shop.verdicts(run) == {"same": 1}, run.stats
    (ignored,) = run.stats["ignored"]
    assert ignored["places"] == ["html/body/main/div.ad"]


def test_erasing_a_monitor_leaves_no_row_of_it(shop: Watching) -> None:
    shop.site.pages["/0"] = lamp("Lamp", 9.5)
    job = shop.watch(shop.urls("/0"))
    shop.site.pages["/0"] = lamp("Lamp", 8.25)
    shop.run(job)
    with db.transaction() as tx:
        extractions.delete(tx, shop.account_id, job.id)
        while erasure.step(tx, job.id):
            pass
        store.forget_released_snapshots(tx, after_seconds=-1)
        left = tx.execute(
            """select (select count(*) from monitor_pages) + (select count(*) from monitor_changes)
                + (select count(*) from extraction_jobs) + (select count(*) from schedules)
                + (select count(*) from snapshots)"""
        ).fetchone()
    assert left == (0,)


def test_old_runs_of_a_monitor_go_while_it_goes_on(shop: Watching) -> None:
    shop.site.pages["/0"] = lamp("Lamp", 9.5)
    job = shop.watch(shop.urls("/0"))
    last = shop.run(job)
    with db.transaction() as tx:
        tx.execute("update extraction_runs set expires_at = expires_at - interval '1 year'")
        while erasure.retire(tx, 100):
            pass
        assert tx.execute("select id from extraction_runs").fetchall() == [(last.id,)]


def test_two_monitors_of_a_page_know_nothing_of_each_other(shop: Watching) -> None:
    shop.site.pages["/0"] = lamp("Lamp", 9.5)
    shop.watch(shop.urls("/0"))
    other = replace(shop)
    job = other.watch(shop.urls("/0"))
    assert shop.verdicts(shop.last(job)) == {"new": 1}


def test_a_worker_whose_clock_is_ahead_does_not_end_a_run(
    shop: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: object = None) -> "Tomorrow":  # type: ignore[override]
            return cls.fromtimestamp(time.time() + 86_400, UTC)

    monkeypatch.setattr("workers.records.monitors.datetime", Tomorrow)
    shop.lamps(1)
    run = shop.last(shop.watch(shop.urls("/0")))
    assert (run.stop_reason, shop.verdicts(run)) == ("done", {"new": 1})
