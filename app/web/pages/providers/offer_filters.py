"""The address of a list of offers: the example job, which offers, and in which order."""

from dataclasses import dataclass
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate
from werkzeug.datastructures import MultiDict

from app.core.errors import Invalid
from app.core.http.fields import Whole
from app.core.http.request_parser import pointer
from app.domains.providers.providers.offer_pages import AVAILABILITY
from app.domains.providers.providers.offer_rules import MOST_MODEL

MOST_TOKENS: Final = 10_000_000
UPTIMES: Final = ("90", "99", "99.9")
DESCENDING: Final = frozenset(("speed", "uptime", "context"))
"""Columns that are best first when they are greatest first."""
SORTS: Final = ("price", "provider", "rates", "first_token", *sorted(DESCENDING))


@dataclass(frozen=True, slots=True)
class ExampleJob:
    tokens_in: int
    tokens_out: int


def _tokens(name: str, default: int) -> Whole:
    return Whole(data_key=name, load_default=default, validate=validate.Range(0, MOST_TOKENS))


class _Query(Schema):
    model = fields.Str(validate=validate.Length(1, MOST_MODEL))
    cursor = fields.UUID()
    tokens_in = _tokens("in", 2_000)
    tokens_out = _tokens("out", 500)
    context = Whole(load_default=0, validate=validate.Range(0, 1 << 30))
    precision = fields.Str(validate=validate.Length(1, 20))
    availability = fields.Str(validate=validate.OneOf(AVAILABILITY))
    uptime = fields.Str(validate=validate.OneOf(UPTIMES))
    measured = fields.Bool(load_default=False)
    checked = fields.Bool(load_default=False)
    sort = fields.Str(load_default="price", validate=validate.OneOf(SORTS))
    order = fields.Str(validate=validate.OneOf(("ascending", "descending")))


_QUERY: Final = _Query()


@dataclass(frozen=True, slots=True)
class OfferQuery:
    """`descending` is the order of the sorted column."""

    model: str | None
    cursor: str | None
    job: ExampleJob
    context: int
    precision: str | None
    availability: str | None
    uptime: str | None
    measured: bool
    checked: bool
    sort: str
    descending: bool


def wanted(arguments: MultiDict[str, str]) -> OfferQuery:
    """Reads the query of a list of offers; empty fields are none. Raises Invalid."""
    given = {name: value for name, value in arguments.items() if value}
    try:
        values: dict[str, Any] = _QUERY.load(given)
    except ValidationError as error:
        raise Invalid(details=_details(error.messages_dict)) from None
    cursor, order = values.pop("cursor", None), values.pop("order", None)
    names = ("model", "precision", "availability", "uptime")
    return OfferQuery(
        job=ExampleJob(values.pop("tokens_in"), values.pop("tokens_out")),
        cursor=str(cursor) if cursor else None,
        descending=order == "descending" if order else values["sort"] in DESCENDING,
        **{name: values.pop(name, None) for name in names},
        **values,
    )


def _details(messages: dict[str, Any]) -> list[dict[str, str]]:
    return [{"field": pointer(name), "problem": str(texts[0])} for name, texts in messages.items()]
