"""Rows that are records, and rows that are the sections of a page."""

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.likelihood import are_likely, evidence, no_surer
from app.engine.extraction.records.readings import Entity, FieldReading
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.values.calibration import of_thing

TEXT = {"type": "string"}
PLAN = plan({"type": "object", "properties": {"function": TEXT, "description": TEXT}})
PROSE = "<p>Oaks grow slowly, and their wood is hard. It was used for ships and barrels.</p>"


SAID = {"class": 0.0}


def rows(first: str, second: str) -> list[Entity]:
    fields = {
        "/function": (FieldReading("oak", 0.7, "repeated", f"section|/{first}"),),
        "/description": (FieldReading("a tree", 0.7, "repeated", f"section|/{second}"),),
    }
    return [Entity(0.5, at, fields) for at in range(3)]


@pytest.mark.parametrize(
    ("first", "second", "likely"),
    [("dt.sig", "dd/p", True), ("h3", "div.text", True), ("h3", "p", False)],
)
def test_headings_with_the_paragraph_below_are_no_records(
    first: str, second: str, likely: bool
) -> None:
    assert are_likely(evidence(PLAN, rows(first, second), SAID, 0.9)) is likely


def test_no_rows_are_no_records() -> None:
    assert not are_likely(evidence(PLAN, [], SAID, 0.9))


def test_the_sections_of_a_page_are_no_records_and_its_definitions_are() -> None:
    def read(body: str, title: str = "Trees") -> list[object]:
        page = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
        return [each.data["function"] for each in extract(page, "https://a.test/", PLAN).records]

    names = ("oak", "elm", "fir", "yew")
    assert read("".join(f"<section><h2>The {n}</h2>{PROSE}</section>" for n in names)) == []
    terms = "".join(f"<dt>{name}(depth)</dt><dd>{PROSE}</dd>" for name in names)
    assert read(f"<dl>{terms}</dl>", "Functions of trees") == [f"{name}(depth)" for name in names]


def test_headings_with_the_program_below_are_no_records() -> None:
    assert not are_likely(evidence(PLAN, rows("h3.title", "pre.synopsis"), SAID, 0.9))


@pytest.mark.parametrize(("part", "confidence"), [(0.0, 0.95), (1.0, 0.89)])
def test_a_page_with_a_part_about_functions_is_not_surely_one(
    part: float, confidence: float
) -> None:
    whole = Entity(0.5, 0, {"/function": (FieldReading("AtkTable", 0.95, "text", "text:x@p"),)})
    (read,) = no_surer([whole], of_thing({"text": 5.0, "part": part}, line=True))
    assert read.fields["/function"][0].confidence == confidence
