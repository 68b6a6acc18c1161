"""Every body is read at a cost that its limits bound, however hostile it is."""

import json

import pytest
from flask.testing import FlaskClient

from app.domains.search.searches.schemas import SearchIn
from tests.caller import Caller

SEARCH = "/external/v1/search"
MEBIBYTE = 1 << 20


def test_a_list_is_counted_before_its_items_are_looked_at(ada: Caller) -> None:
    body = {"query": "q", "include_domains": ["not a domain"] * 21}
    details = ada.post(SEARCH, body).get_json()["error"]["details"]
    assert [detail["field"] for detail in details] == ["/include_domains"]


def test_a_long_name_is_refused_before_it_is_encoded(
    ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("idna.encode", never)
    body = {"query": "q", "include_domains": ["\u00e9" * 254]}
    assert ada.post(SEARCH, body).status_code == 400


def never(*_: object, **__: object) -> None:
    raise AssertionError("This was not to be computed.")


def test_of_many_unknown_fields_twenty_are_named_before_the_schema_reads_the_body(
    ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchIn, "load", never)
    for count in (21, 100):
        error = ada.post(SEARCH, unknown_fields(count)).get_json()["error"]
        assert (len(error["details"]), error["details_omitted"]) == (20, count - 20)


def test_few_problems_are_all_named(ada: Caller) -> None:
    body = {"query": "q", **unknown_fields(20)}
    error = ada.post(SEARCH, body).get_json()["error"]
    assert (len(error["details"]), "details_omitted" in error) == (20, False)


def unknown_fields(count: int) -> dict[str, int]:
    return {f"f{number}": 1 for number in range(count)}


def test_the_largest_body_of_unknown_fields_gets_a_short_answer(
    client: FlaskClient, owner: dict[str, str]
) -> None:
    body = json.dumps(unknown_fields(80_000))
    assert MEBIBYTE * 0.9 < len(body) < MEBIBYTE
    answer = client.post(SEARCH, data=body, headers={**owner, "Content-Type": "application/json"})
    assert answer.status_code == 400
    assert len(answer.data) < 4096
