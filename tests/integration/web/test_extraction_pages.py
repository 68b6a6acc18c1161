"""Pages of extractions, monitors and workflows: what they show, and what their forms do."""

import json
import re
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from flask import Flask
from psycopg.types.json import Jsonb
from werkzeug.test import TestResponse

from app.core import db, ids
from app.core.ids import Noun
from app.domains.records.monitors import change_store
from app.domains.records.page_jobs.verification import verifications
from app.web.pages.records import monitors
from tests import builders, job_pages
from tests.visiting import Visitor

SCHEMA = json.dumps(job_pages.SCHEMA)


@dataclass
class Jobs:
    """Jobs of one account, looked at by itself and by one that has none."""

    app: Flask
    owner: Visitor
    other: Visitor
    extraction: str
    monitor: str
    workflow: str
    owner_id: UUID

    def api(self, method: str, path: str, body: object = None) -> Any:
        """An answer of the API to the owner's token."""
        with db.transaction() as tx:
            token = builders.access_token(tx, self.app.extensions["settings"], self.owner_id)
        headers = {"Authorization": f"Bearer {token}"}
        return self.app.test_client().open(path, method=method, json=body, headers=headers).json

    def file(self, path: str) -> str:
        """A download of the owner's, closed so that its slot is free again."""
        with self.owner.get(path) as answer:
            assert "attachment" in answer.headers["Content-Disposition"]
            return answer.text

    def show(self, query: str = "") -> str:
        return text(self.owner.get(f"/extractions/{self.extraction}{query}"))


def text(answer: TestResponse) -> str:
    """What a reader sees of a page, on one line."""
    assert answer.status_code in (200, 286, 422), answer.text
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


@pytest.fixture(scope="module")
def jobs(site: Flask) -> Jobs:
    with db.transaction() as tx:
        owner, other = builders.account(tx), builders.account(tx, "other@example.org")
        made = [
            make(tx, owner)
            for make in (job_pages.extraction, job_pages.monitor, job_pages.workflow)
        ]
    return Jobs(site, Visitor(site, owner), Visitor(site, other), *made, owner_id=owner)


def test_jobs_are_listed_with_what_they_read_and_how_full_their_records_are(jobs: Jobs) -> None:
    page = text(jobs.owner.get("/extractions"))
    assert "shop.example.org/lamps" in page
    assert "50 %" in page
    assert "Nothing matches this filter" in text(
        jobs.owner.get("/extractions?status=failed&type=extraction")
    )
    assert "No extractions yet" in text(jobs.other.get("/extractions"))


def test_each_field_of_a_record_has_its_state_and_what_it_was_read_from(jobs: Jobs) -> None:
    page = jobs.show("?field=/price")
    assert "name Desk lamp Alder ✓ Quote found Desk lamp Alder" in page
    assert "price 129.5 ✓ Quote found €129.50" in page
    assert "colour – × Conflict" in page
    assert "size – ! Not found" in page
    assert "€129.50 → became 129.5 rule: price" in page
    assert "red from this page" in jobs.show("?field=/colour")
    assert "No quote for this field" in jobs.show("?field=/size")


def test_the_stored_page_of_a_field_has_its_quote_marked_and_is_shut_in(jobs: Jobs) -> None:
    page = jobs.owner.get(f"/extractions/{jobs.extraction}?field=/price").text
    [address] = re.findall(r'<iframe[^>]+sandbox[^>]+src="([^"]+)"', page)
    framed = jobs.owner.get(unescape(address).removesuffix("#hit"))
    assert '<mark id="hit">€129.50</mark>' in framed.text
    assert framed.headers["Content-Security-Policy"].startswith("sandbox;")


def test_an_address_that_names_no_quote_marks_nothing(jobs: Jobs) -> None:
    page = jobs.owner.get(f"/extractions/{jobs.extraction}?field=/price").text
    [address] = re.findall(r'<iframe[^>]+src="([^"]+)"', page)
    elsewhere = unescape(address).removesuffix("#hit").replace("%2Fprice", "%2Fsize")
    assert "Quote not found in stored page" in jobs.owner.get(elsewhere).text


def test_an_example_is_suggested_where_most_values_are_unsure_and_it_would_help(
    jobs: Jobs,
) -> None:
    with db.transaction() as tx:
        owner = builders.account(tx, "doubtful@example.org")
        several = job_pages.doubtful(tx, owner, 2)
        single = job_pages.doubtful(tx, owner, 1)
        taught = job_pages.doubtful(tx, owner, 2, examples=[{"url": job_pages.URL, "data": {}}])
    visitor = Visitor(jobs.app, owner)
    page, *others = (
        text(visitor.get(f"/extractions/{each}")) for each in (several, single, taught)
    )
    suggestion = "values shown are unsure. One example page raises accuracy"
    assert f"4 of 4 {suggestion}" in page
    assert [suggestion in each for each in (*others, jobs.show())] == [False, False, False]


def test_a_record_is_corrected_in_place_and_a_new_job_has_it_as_its_example(jobs: Jobs) -> None:
    page = jobs.owner.get(f"/extractions/{jobs.extraction}").text
    assert re.search(r'name="data\.price"[^>]+value="129.5"', page)
    form = {
        "url": job_pages.URL,
        "data.name": "Alder lamp",
        "data.price": "130",
        "data.size": "",
    }
    answer = jobs.owner.post(f"/extractions/{jobs.extraction}", form)
    body = text(jobs.owner.get(f"{answer.headers['Location']}/request"))
    assert '"data": {"name": "Alder lamp", "price": 130}' in body


def test_a_correction_that_is_no_value_of_its_field_starts_nothing(jobs: Jobs) -> None:
    form = {"url": job_pages.URL, "data.price": "dear"}
    answer = jobs.owner.post(f"/extractions/{jobs.extraction}", {**form, "data.name": "Elm"})
    assert answer.status_code == 422
    assert re.search(r'name="data\.price"[^>]+value="dear"', answer.text)
    assert re.search(r'name="data\.name"[^>]+value="Elm"', answer.text)
    assert re.search(r'id="data\.price-problem">.*Must be JSON', answer.text)


def test_an_ended_job_is_polled_no_more(jobs: Jobs) -> None:
    answer = jobs.owner.get(f"/extractions/{jobs.extraction}", live=True, **{"HX-Target": "work"})
    assert answer.status_code == 286
    assert "<h1" not in answer.text
    chosen = jobs.owner.get(f"/extractions/{jobs.extraction}", live=True, **{"HX-Target": "viewer"})
    assert 'id="viewer"' in chosen.text


@pytest.mark.parametrize(
    ("form", "begins"),
    [("csv", "_id,_url"), ("ndjson", '{"id":"rec_'), ("json", '[\n{"id":"rec_')],
)
def test_the_records_are_a_file_of_each_form(jobs: Jobs, form: str, begins: str) -> None:
    lines = jobs.file(f"/extractions/{jobs.extraction}/records.{form}")
    assert lines.startswith(begins)
    if form == "json":
        assert json.loads(lines)[0]["data"]["price"] == 129.5


def test_what_the_api_refuses_is_said_at_its_field_and_nothing_is_lost(jobs: Jobs) -> None:
    wrong = {"source": "urls", "address": "ftp://x", "schema": '{"type": "object"}'}
    page = jobs.owner.post("/extractions", wrong)
    assert page.status_code == 422
    assert "Not an http or https address" in page.text.partition('id="address-problem"')[2][:200]
    assert 'id="schema-problem"' in page.text
    assert "ftp://x" in page.text
    broken = jobs.owner.post("/extractions", {"address": job_pages.URL, "schema": "{"})
    assert "Invalid JSON" in text(broken)


def test_a_form_starts_a_job_once_and_its_request_fills_the_next_form(jobs: Jobs) -> None:
    form = {
        "key": "once",
        "source": "crawl",
        "address": "https://docs.example.org/ ",
        "schema": SCHEMA,
    }
    first, second = (jobs.owner.post("/extractions", form) for _ in range(2))
    assert first.status_code == 303
    assert first.headers["Location"] == second.headers["Location"]
    job_id = first.headers["Location"].rpartition("/")[2]
    page = jobs.owner.get(f"/extractions/new?from={job_id}").text
    assert '<option value="crawl" selected>' in page
    assert 'name="field.0.name" value="name"' in page
    assert "https://docs.example.org/</textarea>" in page
    running = jobs.owner.get(f"/extractions/{job_id}").text
    assert 'hx-trigger="every 2s"' in running
    jobs.owner.post(f"/extractions/{job_id}/cancel")
    assert "Cancelled" in jobs.owner.get(f"/extractions/{job_id}").text
    assert jobs.owner.post(f"/extractions/{job_id}/delete").headers["Location"] == "/extractions"
    assert jobs.owner.get(f"/extractions/{job_id}").status_code == 404


def test_both_views_of_a_schema_are_shown_again_as_one(jobs: Jobs) -> None:
    form = {
        "address": job_pages.URL,
        "base": SCHEMA,
        "schema": SCHEMA,
        "field.0.name": "title",
        "field.0.was": "name",
        "field.0.type": "text",
        "field.0.on": "on",
    }
    page = jobs.owner.post("/extractions/new", form)
    assert page.status_code == 200
    assert 'name="field.0.name" value="title"' in page.text
    assert "&#34;title&#34;: {&#34;type&#34;: &#34;string&#34;}" in page.text
    assert job_pages.URL in page.text
    assert 'name="field.1.name" value=""' in page.text


def test_a_property_that_the_api_refuses_is_told_at_its_row(jobs: Jobs) -> None:
    schema = '{"type": "object", "properties": {"a": {"type": "string", "format": 1}}}'
    row = {"field.0.name": "b", "field.0.was": "a", "field.0.type": "other", "field.0.on": "on"}
    form = {"address": job_pages.URL, "base": schema, "schema": schema, **row}
    page = jobs.owner.post("/extractions", form)
    assert page.status_code == 422
    assert 'id="field.0.problem"' in page.text


def test_a_corrected_value_becomes_the_example_of_the_job(jobs: Jobs) -> None:
    row = {"name": "name", "was": "name", "by": "name", "type": "text", "on": "on"}
    values = {"found": "Alder", "value": "Desk lamp Alder"}
    form = {
        "address": job_pages.URL,
        "example_url": job_pages.URL,
        "base": SCHEMA,
        "schema": SCHEMA,
        **{f"field.0.{part}": value for part, value in (row | values).items()},
    }
    job_id = jobs.owner.post("/extractions", form).headers["Location"].rpartition("/")[2]
    request = unescape(jobs.owner.get(f"/extractions/{job_id}/request").text)
    assert '"examples"' in request
    assert '"data": {"name": "Desk lamp Alder"}' in request


def edited(jobs: Jobs, *, keep: bool = True, **changes: str) -> Any:
    """The request of a job that was edited and run, of one with two examples and a name."""
    examples = [
        {"url": job_pages.URL, "data": {"name": "Alder", "price": 1.5}},
        {"url": f"{job_pages.URL}?page=2", "data": {"name": "Birch"}},
    ]
    body = {
        "type": "extraction",
        "source": {"type": "url", "url": job_pages.URL},
        "schema": job_pages.SCHEMA,
        "examples": examples,
        "metadata": {"team": "lamps"},
    }
    former = jobs.api("POST", "/v1/extract/jobs", body)["id"]
    page = jobs.owner.get(f"/extractions/new?from={former}").text
    inputs = re.findall(r'<input type="hidden" name="(field[^"]+)" value="([^"]*)">', page)
    assert "Keep the 2 examples" in page
    form = {
        "address": job_pages.URL,
        "base": SCHEMA,
        "schema": SCHEMA,
        **({"keep_examples": "on"} if keep else {}),
        **dict(inputs),
        "field.0.name": "name",
        "field.0.type": "text",
        "field.0.on": "on",
        **changes,
    }
    made = jobs.owner.post(f"/extractions?from={former}", form)
    job_id = made.headers["Location"].rpartition("/")[2]
    return jobs.api("GET", f"/v1/extract/jobs/{job_id}/request")["request"]


def test_an_edited_job_keeps_its_examples_under_the_names_of_now(jobs: Jobs) -> None:
    request = edited(jobs, **{"field.0.name": "title"})
    assert request["examples"] == [
        {"url": job_pages.URL, "data": {"title": "Alder"}},
        {"url": f"{job_pages.URL}?page=2", "data": {"title": "Birch"}},
    ]


def test_an_edited_job_keeps_what_its_form_does_not_show(jobs: Jobs) -> None:
    assert edited(jobs)["metadata"] == {"team": "lamps"}


def test_examples_that_are_not_wanted_are_left_out(jobs: Jobs) -> None:
    assert "examples" not in edited(jobs, keep=False)


def test_an_address_that_is_none_is_refused_before_anything_is_read(jobs: Jobs) -> None:
    page = jobs.owner.post("/extractions/fields", {"address": "ftp://x"})
    assert page.status_code == 422
    assert "Not an http or https address" in text(page)


def test_looking_at_a_page_that_was_read_starts_nothing(jobs: Jobs) -> None:
    address = {"address": job_pages.URL, "key": "looked-at"}
    waiting = jobs.owner.post("/extractions/fields", address).headers["Location"]
    with db.transaction() as tx:
        job_pages.read_waiting(tx, waiting.partition("=")[2])
    before = jobs.api("GET", "/v1/extract/jobs?limit=1")["jobs"]
    assert 'action="/extractions/fields/look"' in jobs.owner.get(waiting).text
    assert jobs.api("GET", "/v1/extract/jobs?limit=1")["jobs"] == before


def test_fields_are_looked_for_once_and_both_jobs_are_forgotten(jobs: Jobs) -> None:
    address = {"address": job_pages.URL, "key": "looked-for"}
    waiting = jobs.owner.post("/extractions/fields", address).headers["Location"]
    first = waiting.partition("=")[2]
    with db.transaction() as tx:
        job_pages.read_waiting(tx, first)
    looks = [jobs.owner.post("/extractions/fields/look", {"page": first}) for _ in range(2)]
    places = {each.headers["Location"] for each in looks}
    assert len(places) == 1
    second = places.pop().partition("=")[2]
    assert second != first
    form = {"page": second, "address": job_pages.URL, "schema": SCHEMA}
    assert jobs.owner.post("/extractions", form).status_code == 303
    for job_id in (first, second):
        assert jobs.owner.get(f"/extractions/{job_id}").status_code == 404


def test_the_fields_of_a_page_of_others_are_not_shown(jobs: Jobs) -> None:
    answer = jobs.other.get(f"/extractions/new?page={jobs.extraction}")
    assert answer.headers["Location"] == "/extractions/new"


def test_a_quote_is_checked_again_and_its_page_says_so(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifications, "WAIT_SECONDS", 0.0)
    record = re.findall(r'id="(rec_\w+)"', jobs.owner.get(f"/extractions/{jobs.extraction}").text)[
        0
    ]
    form = {"record": record, "field": "/price", "page": "", "run": ""}
    answer = jobs.owner.post(f"/extractions/{jobs.extraction}/verify", form)
    assert f"record={record}&field=%2Fprice&verification=vfy_" in answer.headers["Location"]
    page = jobs.owner.get(answer.headers["Location"].partition("#")[0])
    assert "Reading the page again" in text(page)


def test_the_sample_is_offered_where_this_server_may_be_read(jobs: Jobs) -> None:
    assert "Start with this schema" in text(jobs.other.get("/extractions"))
    assert jobs.other.post("/extractions/sample").status_code == 404
    assert "Ceiling lamp Elm" in text(jobs.other.get("/samples/lamps"))


def test_a_form_that_grows_keeps_its_ticks_and_those_taken_away(jobs: Jobs) -> None:
    sent = {"source": "urls", "address": "https://example.org/", "require_provenance": "on"}
    ticked = 'name="require_provenance" value="on" checked'
    assert ticked in jobs.owner.post("/extractions/new?template=shop", sent).text
    assert ticked in jobs.owner.post("/extractions", {**sent, "max_pages": "none"}).text
    del sent["require_provenance"]
    assert ticked not in jobs.owner.post("/extractions", {**sent, "max_pages": "none"}).text


def test_a_monitor_shows_what_changed_since_one_last_looked(jobs: Jobs) -> None:
    assert "2 changes" in text(jobs.owner.get("/monitors"))
    first = jobs.owner.get(f"/monitors/{jobs.monitor}")
    assert first.headers["Location"].endswith("?from=2&to=3&seen=")
    page = jobs.owner.get(first.headers["Location"]).text
    assert "Ships in <del>ten</del> days" in page
    assert "Ships in <ins>two</ins> days" in page
    assert "changes" not in text(jobs.owner.get("/monitors")).partition("Mark all as seen")[2]


def test_two_runs_of_a_monitor_are_compared_field_by_field_with_both_quotes(jobs: Jobs) -> None:
    page = jobs.owner.get(f"/monitors/{jobs.monitor}?from=1&to=3")
    assert "price Before 129.5" in text(page)
    assert "Now 119" in text(page)
    for side in ("previous", "current"):
        [address] = re.findall(rf'src="([^"]+side={side}[^"]*)"', page.text)
        framed = jobs.owner.get(unescape(address).removesuffix("#hit")).text
        assert '<mark id="hit">€129.50</mark>' in framed
    changes = json.loads(jobs.file(f"/monitors/{jobs.monitor}/changes.json?from=1&to=3"))
    assert [each["field"] for each in changes] == [None, "price"]


def test_older_runs_of_a_monitor_are_on_the_next_page(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "MOST_RUNS", 1)
    page = jobs.owner.get(f"/monitors/{jobs.monitor}?from=1&to=3").text
    assert ('id="run-3"' in page, 'id="run-2"' in page) == (True, False)
    [older] = re.findall(r'id="next-page" rel="next" href="([^"]+)"', page)
    page = jobs.owner.get(unescape(older)).text
    assert ('id="run-3"' in page, 'id="run-2"' in page) == (False, True)


def test_changes_beyond_those_shown_are_told_and_in_the_file(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "MOST_CHANGES", 1)
    assert "The newest 1 changes are shown" in text(
        jobs.owner.get(f"/monitors/{jobs.monitor}?from=1&to=3")
    )
    changes = json.loads(jobs.file(f"/monitors/{jobs.monitor}/changes.json?from=1&to=3"))
    assert len(changes) == 2


def changed(tx: db.Tx, job_id: UUID, run_id: UUID, pages: int) -> None:
    """So many more pages that a run found."""
    row: dict[str, Any] = {"job_id": job_id, "run_id": run_id, "verdict": "new", "record_id": None}
    row |= {"fields": Jsonb([]), "facts": Jsonb({})}
    row |= {"snapshot_id": None, "previous_snapshot_id": None}
    urls = [f"https://example.org/{n}" for n in range(pages)]
    with tx.cursor() as cursor:
        cursor.executemany(change_store.INSERT, [{**row, "id": ids.new(), "url": x} for x in urls])


def test_a_quote_is_found_among_any_number_of_changes(jobs: Jobs) -> None:
    with db.transaction() as tx:
        owner = builders.account(tx, "collector@example.org")
        monitor = job_pages.monitor(tx, owner)
    browser = Visitor(jobs.app, owner)
    page = browser.get(f"/monitors/{monitor}?from=1&to=3").text
    [address] = re.findall(r'src="([^"]+side=previous[^"]*)"', page)
    run_id = ids.lookup(Noun.RUN, parse_qs(urlsplit(unescape(address)).query)["run"][0])
    with db.transaction() as tx:
        changed(tx, ids.lookup(Noun.JOB, monitor), run_id, 201)
    framed = browser.get(unescape(address).removesuffix("#hit")).text
    assert '<mark id="hit">€129.50</mark>' in framed


def test_two_runs_are_compared_whatever_later_ones_found(jobs: Jobs) -> None:
    with db.transaction() as tx:
        owner = builders.account(tx, "watcher@example.org")
        monitor = job_pages.monitor(tx, owner)
        job_id = ids.lookup(Noun.JOB, monitor)
        newest = "select run_id from monitor_changes where job_id = %(job_id)s order by id desc"
        run_id = db.value(tx, newest, job_id=job_id)
        changed(tx, job_id, run_id, 1_000)
    page = Visitor(jobs.app, owner).get(f"/monitors/{monitor}?from=1&to=2")
    assert "price Before 129.5" in text(page)


def test_a_monitor_says_its_schedule_with_its_own_zone(jobs: Jobs) -> None:
    assert "0 7 * * 1-5 Europe/Berlin" in text(jobs.owner.get("/monitors"))
    jobs.owner.post("/monitors/seen")
    jobs.owner.post(f"/monitors/{jobs.monitor}/pause")
    assert "‖ Paused" in text(jobs.owner.get("/monitors"))
    jobs.owner.post(f"/monitors/{jobs.monitor}/resume")
    assert "● Running" in text(jobs.owner.get("/monitors"))
    assert "No monitors yet" in text(jobs.other.get("/monitors"))


def test_a_workflow_is_a_graph_with_the_same_facts_in_a_table(jobs: Jobs) -> None:
    page = jobs.owner.get(f"/workflows/{jobs.workflow}")
    assert (
        '<svg class="steps" role="img" aria-label="3 steps: read is done; cheap is failed'
        in page.text
    )
    assert "cheap Filter × Failed read" in text(page)
    steps = json.loads(jobs.file(f"/workflows/{jobs.workflow}/steps.json"))
    assert [step["state"] for step in steps] == ["done", "failed", "skipped"]
    assert "No workflows yet" in text(jobs.other.get("/workflows"))
