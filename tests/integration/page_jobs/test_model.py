"""A model beside the rules of a job: what it adds, what it costs, and where it ends."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.integration.page_jobs.reading import Workshop
from tests.scripted_model import scripted_model

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "shade": {"type": "string"}},
    "required": ["name"],
}
PAGE = (
    "<html lang=en><head><title>Alder</title><script type='application/ld+json'>"
    '{"@type": "Product", "name": "Alder"}</script></head><body><main><h1>Alder</h1>'
    "<p>A lamp for long evenings, which throws its light upwards through hammered brass.</p>"
    "</main></body></html>"
)
SAID = {"record": 1, "field": "/shade", "value": "hammered brass", "quote": "hammered brass"}
REPLY = json.dumps({"values": [{**SAID, "before": "", "after": "", "candidate": 0}]})

pytestmark = pytest.mark.usefixtures("database")


def with_model(shop: Workshop, url: str, **more: Any) -> Workshop:
    shop.site.pages["/a"] = shop.site.pages["/b"] = PAGE
    settings = replace(shop.settings, model_url=url, model_name="tiny", **more)
    return replace(shop, settings=settings)


def test_a_model_fills_what_the_rules_left_empty(shop: Workshop) -> None:
    with scripted_model(REPLY) as endpoint:
        prices = {"model_input_price": 3.0, "model_output_price": 15.0}
        asking = with_model(shop, endpoint.url, **prices)
        ended = asking.read(asking.urls("/a"), schema=SCHEMA)
    assert ended.data == [{"name": "Alder", "shade": "hammered brass"}]
    assert ended.records[0].provenance[-1]["method"] == "llm"
    assert ended.run.stats["model"] == {
        "name": "tiny",
        "tokens": 120,
        "calls": 1,
        "input_tokens": 100,
        "output_tokens": 20,
        "filled": 1,
        "agreed": 0,
        "dropped": 0,
        "cost": 0.0006,
    }


def test_a_job_that_wants_no_model_asks_none(shop: Workshop) -> None:
    with scripted_model(REPLY) as endpoint:
        asking = with_model(shop, endpoint.url)
        ended = asking.read(asking.urls("/a"), schema=SCHEMA, model={"use": "never"})
    assert (ended.data, endpoint.asked) == ([{"name": "Alder"}], [])


def test_when_its_tokens_are_spent_a_job_goes_on_without_the_model(shop: Workshop) -> None:
    with scripted_model(REPLY) as endpoint:
        asking = with_model(shop, endpoint.url)
        spending = {"use": "fill", "max_tokens": 1_000}
        ended = asking.read(asking.urls("/a", "/b"), schema=SCHEMA, model=spending)
    assert ended.run.stop_reason == "budget_reached"
    assert [data["name"] for data in ended.data] == ["Alder", "Alder"]
    assert ended.run.stats["model"]["tokens"] <= 1_000
    assert endpoint.asked == []


def test_a_model_that_fails_is_a_warning_of_the_job(shop: Workshop) -> None:
    with scripted_model(500) as endpoint:
        asking = with_model(shop, endpoint.url)
        ended = asking.read(asking.urls("/a", "/b"), schema=SCHEMA)
    assert (ended.job.status, ended.run.stop_reason) == ("completed", "done")
    assert ended.job.warnings[0] == "model_broken: the model gave no usable reply."
    assert [data["name"] for data in ended.data] == ["Alder", "Alder"]
