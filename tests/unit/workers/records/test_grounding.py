"""What no passage supports is dropped and named, and nothing else."""

from app.engine.extraction.records.quote_filter import grounded
from app.engine.extraction.records.records import Provenance, Record
from tests.plans import TEXT, TEXTS, plan_of

PLAN = plan_of(
    "name", name=TEXT, brand={"type": "object", "properties": {"name": TEXT}}, tags=TEXTS
)
DATA = {"name": "Lamp", "brand": {"name": "Alder"}, "tags": ["oak", "brass"]}
POINTERS = ("/name", "/brand/name", "/tags/0", "/tags/1")


def cited(pointer: str) -> Provenance:
    return Provenance(
        pointer, "visible", "x", 0, 1, "", "", "/p", None, "labels", "none", "exact", 0.9
    )


def record(*pointers: str) -> Record:
    return Record(DATA, (), tuple(map(cited, pointers)), {}, 0.9)


def test_a_record_whose_values_are_all_quoted_stays_as_it_is() -> None:
    whole = record(*POINTERS)
    assert grounded(PLAN, whole) is whole


def test_a_value_without_quote_is_dropped_and_named() -> None:
    kept = grounded(PLAN, record("/name", "/tags/0", "/tags/1"))
    assert kept.data == {"name": "Lamp", "tags": ["oak", "brass"]}
    named = [(x.pointer, x.keyword) for x in kept.unsatisfied]
    assert named == [("/brand/name", "require_provenance")]


def test_a_list_of_which_one_item_is_not_quoted_is_dropped_as_a_whole() -> None:
    kept = grounded(PLAN, record("/name", "/brand/name", "/tags/1"))
    assert kept.data == {"name": "Lamp", "brand": {"name": "Alder"}}
    assert [x.pointer for x in kept.provenance] == ["/name", "/brand/name"]
    assert [x.pointer for x in kept.unsatisfied] == ["/tags"]


def test_a_required_value_that_is_dropped_is_missing_as_well() -> None:
    kept = grounded(PLAN, record("/brand/name", "/tags/0", "/tags/1"))
    assert {x.keyword for x in kept.unsatisfied} == {"required", "require_provenance"}


def test_a_record_of_which_nothing_is_quoted_is_empty() -> None:
    assert grounded(PLAN, record()).data == {}
