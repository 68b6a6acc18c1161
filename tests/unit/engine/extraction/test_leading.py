"""What stands around the heading of a page, and in classes that share a namespace."""

import pytest

from app.engine.extraction.records.extract import PageRecords, extract
from tests.plans import TEXT, plan_of

URL = "https://site.test/oaks"
SCHEMA = plan_of(
    called="Book", title=TEXT, author=TEXT, category=TEXT, description=TEXT, yields=TEXT
)
LEAD = "A walk through the woods of the north, with drawings. It took ten years."
TRAIL = "<ol class=breadcrumb><li><a href=/>Home</a><li><a href=/b>{}</a><li>Oaks</ol>"


def page(body: str) -> PageRecords:
    return extract(f"<html><head><title>Oaks</title></head><body>{body}</body></html>", URL, SCHEMA)


def read(body: str) -> dict[str, object]:
    records = page(body).records
    return records[0].data if records else {}


def test_the_first_text_below_the_heading_is_the_description() -> None:
    [entity] = page(f"<h1>Oaks</h1><p>by Ann</p><p>{LEAD}</p><p>{LEAD} More.</p>").readings.entities
    assert entity.fields["/description"][0].value == LEAD


def test_a_text_that_is_called_a_description_is_surer_than_the_first() -> None:
    body = f"<h1>Oaks</h1><p>{LEAD}</p><div class=description>{LEAD} Its second edition.</div>"
    assert read(body)["description"] == f"{LEAD} Its second edition."


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Oaks</h1><h3>Reviews</h3><p>{LEAD}</p>",
        f"<h1>Oaks</h1><p><a href=/x>{LEAD}</a></p>",
    ],
)
def test_what_leads_elsewhere_is_no_description(body: str) -> None:
    assert "description" not in read(body)


@pytest.mark.parametrize(
    ("body", "field", "value"),
    [
        (f"{TRAIL.format('Trees')}<h1>Oaks</h1>", "category", "Trees"),
        ("<h1>Oaks</h1><a rel='category tag' href=/t>Trees</a>", "category", "Trees"),
        ("<h1>Oaks</h1><p class=author>Ann Alder • 3 May</p>", "author", "Ann Alder"),
        ("<h1>Oaks</h1><p>Serves 10 | Level: easy</p>", "yields", "Serves 10"),
    ],
    ids=["the last step of the trail", "a stated category", "up to a mark", "between bars"],
)
def test_a_value_around_the_heading_is(body: str, field: str, value: str) -> None:
    assert read(body)[field] == value


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (f"{TRAIL.format('Books')}<h1>Oaks</h1>", "category"),
        ("<h1>Oaks</h1><a rel=category href=/t>Trees</a> <a rel=category href=/n>North</a>",
         "category"),
        ("<meta name=author content='https://site.test/ann'><h1>Oaks</h1>", "author"),
    ],
    ids=["a step called like the record", "one of several categories", "an address of an author"],
)  # fmt: skip
def test_no_value_around_the_heading_is(body: str, field: str) -> None:
    assert field not in read(body)


def test_the_namespace_of_classes_is_no_part_of_a_name() -> None:
    parts = "".join(f"<i class=acme-big-card-{each}>x</i>" for each in ("a1", "bo", "co", "do"))
    body = f"<h1>Oaks</h1>{parts}<div class=acme-big-card-description>{LEAD}</div>"
    assert read(body)["description"] == LEAD


def test_a_namespace_of_what_stands_beside_the_page_stays_in_the_name() -> None:
    parts = "".join(f"<i class=comment-{each}>x</i>" for each in ("meta", "body", "date", "top"))
    body = f"<h1>Oaks</h1>{parts}<b class=comment-author>Bob</b><b class=author>Ann</b>"
    assert read(body)["author"] == "Ann"
