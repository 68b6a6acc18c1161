"""What is taken of a record that a node states."""

from typing import Any

from app.domains.campaigns.campaigns.records.citations import CitedRecord, Text, of_node
from tests.plans import NUMBER, TEXT, plan_of

RECORD = plan_of("name", name=TEXT, price=NUMBER)
PAGE = Text("Desk lamp\nPrice: $9.50\nmeta name Desk lamp", 22)


def stated(*provenance: dict[str, Any], **data: Any) -> dict[str, Any]:
    return {"data": data, "provenance": list(provenance)}


def quote(pointer: str, text: str, start: int) -> dict[str, Any]:
    return {"pointer": pointer, "quote": text, "start": start}


def cited(record: dict[str, Any]) -> CitedRecord | None:
    return of_node(RECORD, PAGE, record, require_citations=True)


def kept(record: dict[str, Any]) -> CitedRecord:
    found = cited(record)
    assert found is not None
    return found


def test_a_value_whose_quote_is_not_on_the_page_is_dropped() -> None:
    quotes = quote("/name", "Desk lamp", 0), quote("/price", "$8.50", 17)
    candidate = kept(stated(*quotes, name="Desk lamp", price=8.5))
    assert candidate.data == {"name": "Desk lamp"}


def test_a_record_without_a_quote_for_what_it_must_have_is_none() -> None:
    assert cited(stated(quote("/price", "$9.50", 17), name="Desk lamp", price=9.5)) is None


def test_a_quote_is_found_where_the_node_did_not_say() -> None:
    candidate = kept(stated(quote("/name", "Desk lamp", 5), name="Desk lamp"))
    assert candidate.provenance[0]["start"] == 0


def test_a_node_says_nothing_of_a_method_of_ours() -> None:
    candidate = kept(stated(quote("/name", "Desk lamp", 0), name="Desk lamp"))
    assert "method" not in candidate.provenance[0]


def test_a_record_that_breaks_its_schema_is_none() -> None:
    uncited = of_node(RECORD, PAGE, stated(name=7), require_citations=False)
    assert uncited is None


def test_without_required_citations_a_value_needs_no_quote() -> None:
    uncited = of_node(RECORD, PAGE, stated(name="Lamp"), require_citations=False)
    assert uncited == CitedRecord({"name": "Lamp"}, [])
