"""Finding the passage that an address names: of a field of a record, or of one side of a change."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.web.citations.quotes import CitedQuote
from app.web.frame.operations import call, every

RECORDS: Final = 20
"""Records on a page of the provenance viewer: an address names its record by that page."""

Address = Mapping[str, str]


def records(job_id: str, address: Address) -> dict[str, Any]:
    """The page of records that an address names: of a run, behind a cursor, at least so sure."""
    wanted = {
        "run": address.get("run"),
        "cursor": address.get("page"),
        "min_confidence": address.get("min_confidence"),
        "limit": RECORDS,
    }
    found: dict[str, Any] = call("listRecords", query=wanted, job_id=job_id)
    return found


def quote(job_id: str, address: Address) -> CitedQuote | None:
    """The passage; None where the address names nothing but a page."""
    if "change" in address:
        source = _of_change(job_id, address)
    elif "record" in address:
        source = _of_record(job_id, address)
    else:
        return None
    return CitedQuote("", 0, 0) if source is None else _quote(source)


def _quote(source: Mapping[str, Any]) -> CitedQuote:
    """A candidate does not say what stands around it."""
    return CitedQuote(
        source["quote"],
        source["start"],
        source["end"],
        source.get("prefix", ""),
        source.get("suffix", ""),
    )


def _of_record(job_id: str, address: Address) -> Mapping[str, Any] | None:
    pointer = address.get("field", "")
    for record in records(job_id, address)["records"]:
        if record["id"] == address["record"]:
            if "other" in address:
                return _nth(record["candidates"].get(pointer, []), address["other"])
            return _nth(list(sources(record["provenance"], pointer)), address.get("source", "0"))
    return None


def sources(quotes: list[dict[str, Any]], pointer: str) -> Iterator[dict[str, Any]]:
    """The passages of the value at a pointer, and of what is below it."""
    for each in quotes:
        if each["pointer"] == pointer or each["pointer"].startswith(f"{pointer}/"):
            yield each


def _of_change(job_id: str, address: Address) -> Mapping[str, Any] | None:
    for change in every("listChanges", "changes", {"run": address.get("run")}, job_id=job_id):
        if change["id"] == address["change"]:
            return _of_side(change, address.get("field", ""), address.get("side", "current"))
    return None


def _of_side(change: Mapping[str, Any], pointer: str, side: str) -> Mapping[str, Any] | None:
    for field in change["fields"]:
        if field["pointer"] == pointer:
            return passage(field.get(side))
    return None


def passage(value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The first passage of one side of a changed field; None where it has none."""
    if value is None:
        return None
    return value if "quote" in value else next(iter(value.get("provenance") or ()), None)


def _nth(found: list[dict[str, Any]], place: str) -> Mapping[str, Any] | None:
    at = int(place) if place.isascii() and place.isdecimal() and len(place) < 6 else 0
    return found[at] if at < len(found) else None
