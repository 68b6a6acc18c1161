"""Results of a workflow over HTTP: its table has the fields of its extractions, and its pages are
those that they read."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from tests import builders
from tests.integration.workflows import flows
from tests.integration.workflows.flows import Flow, Web, begin, done, once, only, read, search

A, B, GONE = "https://a.test/", "https://b.test/", "https://gone.test/"
PRICED = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
}


@pytest.fixture(autouse=True)
def pages(web: Web) -> None:
    web.pages = {A: [{"name": "Lamp", "price": 39}], B: [{"name": "Shelf"}]}
    web.hits = {"shops": [A]}


def get(client: FlaskClient, settings: Settings, flow: Flow, path: str, accept: str = "*/*") -> Any:
    with db.transaction() as tx:
        key = builders.api_key(tx, settings, flow.account_id, ("jobs",))
    address = f"/v1/extract/jobs/{ids.public(Noun.JOB, flow.job_id)}/{path}"
    return client.get(address, headers={"X-API-Key": key, "Accept": accept})


def priced(id: str, *needs: str, urls: list[str] | None = None) -> dict[str, Any]:
    return read(id, *needs, urls=urls, extra={"schema": PRICED})


def header(client: FlaskClient, settings: Settings, *steps: dict[str, Any]) -> list[str]:
    """The fields of the table that steps come to."""
    return table(client, settings, *steps)[0].split(",")[5:]


def table(client: FlaskClient, settings: Settings, *steps: dict[str, Any]) -> list[str]:
    flow = done(settings, *steps)
    text: str = get(client, settings, flow, "records?provenance=false", "text/csv").text
    return text.splitlines()


def test_a_table_has_the_fields_of_the_extraction_that_its_records_are_from_and_their_values(
    client: FlaskClient, settings: Settings
) -> None:
    steps = (priced("read", urls=[A]), only("some", "read", "/price", "gt", 0), once("all", "some"))
    fields, values = table(client, settings, *steps)
    assert (fields.split(",")[5:], values[-8:]) == (["name", "price"], ",Lamp,39")


def test_a_table_has_the_fields_of_each_extraction_once(
    client: FlaskClient, settings: Settings
) -> None:
    fields = header(client, settings, read("names", urls=[B]), priced("read", urls=[A]))
    assert fields == ["name", "price"]


def test_an_extraction_that_only_leads_to_another_gives_the_table_no_fields(
    client: FlaskClient, settings: Settings
) -> None:
    steps = (priced("first", urls=[A]), search("find", "shops of {/name}", "first"))
    assert header(client, settings, *steps, read("read", "find")) == ["name"]


@pytest.fixture
def read_twice(settings: Settings) -> Flow:
    """A workflow of two extractions, with a page that is gone."""
    return done(settings, read("one", urls=[A, GONE]), read("two", urls=[B]))


def test_pages_are_those_of_all_extractions_by_outcome_and_page_by_page(
    client: FlaskClient, settings: Settings, read_twice: Flow
) -> None:
    def listed(query: str = "") -> Any:
        return get(client, settings, read_twice, f"pages{query}").json

    assert [(page["url"], page["outcome"]) for page in listed()["pages"]] == [
        (A, "read"),
        (GONE, "http_404"),
        (B, "read"),
    ]
    assert [page["url"] for page in listed("?outcome=http_404")["pages"]] == [GONE]
    first = listed("?limit=2")
    then = listed(f"?limit=2&cursor={first['next_cursor']}")
    assert ([page["url"] for page in then["pages"]], then["has_more"]) == ([B], False)


def test_a_workflow_counts_the_pages_of_its_steps(
    client: FlaskClient, settings: Settings, read_twice: Flow
) -> None:
    assert read_twice.job.stats["outcomes"] == {"read": 2, "http_404": 1}
    (run,) = get(client, settings, read_twice, "runs").json["runs"]
    counts = read_twice.job.found, read_twice.job.done, read_twice.job.failed
    assert (counts, run["pages"]["failed"]) == ((3, 3, 1), 1)


def test_a_stream_tells_how_far_the_steps_are(client: FlaskClient, settings: Settings) -> None:
    flow = begin(read("one", urls=[A]), once("once", "one"))
    own = flows.runner(settings)
    sent = flows.ready()
    while flow.states.get("once") != "done":
        own.run([next(sent)])
    first = next(iter(get(client, settings, flow, "events").response))
    assert b'"percent": 99' in first
    assert b'"pages_done": 1' in first
