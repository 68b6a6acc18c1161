"""Items as a voter sees them, and the form of a vote: nothing else is taken."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader
from app.core.errors import Invalid
from app.domains.campaigns.reviews import gold_store, subjects
from app.domains.providers.work.kinds import Item
from app.engine.extraction.schema.schema import plan

CATEGORIES: Final = (
    "not_found", "wrong_value", "irrelevant", "duplicate", "stale", "broken", "other",
)  # fmt: skip
SHORTEST_REASON, LONGEST_REASON = 20, 1_000
MOST_EVIDENCE, LONGEST_QUOTE, LONGEST_POINTER = 200, 2_000, 500
_INPUT = ("objective", "schema", "require_citations")
_PAGE = ("url", "title", "text", "language", "content_hash", "fetched_at")
_PROVENANCE = ("pointer", "quote", "start")
_OUTPUT = frozenset({"verdict", "category", "reason", "evidence"})


@dataclass(frozen=True, slots=True)
class VoteInput:
    """A vote that is well-formed, with quotes that stand in our snapshot."""

    accepts: bool
    category: str | None
    reason: str | None
    evidence: list[dict[str, Any]]


def whole_input(reader: Reader, item: Item) -> dict[str, Any] | None:
    """All that there is to see of an item; of gold with the record that was made for it."""
    if not item.gold:
        record_id, version = _record_of(item)
        return subjects.SUBJECT.only.load(reader, record_id, version)
    gold = gold_store.by_id(reader, item.subject)
    loaded = subjects.SUBJECT.only.load(reader, gold.made_from, gold.version) if gold else None
    return None if loaded is None or gold is None else {**loaded, "record": gold.record}


def _record_of(item: Item) -> tuple[UUID, int]:
    if item.record_id is None or item.version is None:
        raise LookupError("an assignment of no record")
    return item.record_id, item.version


def blind(whole: dict[str, Any]) -> dict[str, Any]:
    """Without what would tell a voter where the record comes from."""
    record = whole["record"]
    return {
        **{name: whole.get(name) for name in _INPUT},
        "record": {
            "data": record["data"],
            "provenance": [_only(each, _PROVENANCE) for each in record["provenance"]],
        },
        "page": _only(whole["page"], _PAGE),
    }


def _only(form: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: form.get(name) for name in names}


def vote(whole: dict[str, Any], output: object) -> VoteInput:
    """The vote that a node's output is. Raises Invalid, naming what is wrong with it."""
    problems = list(_problems(whole, output))
    if problems or not isinstance(output, dict):
        raise Invalid(details=problems)
    return VoteInput(
        accepts=output["verdict"] == "accept",
        category=output.get("category"),
        reason=output.get("reason"),
        evidence=[_only(each, _PROVENANCE) for each in output.get("evidence") or ()],
    )


def _problems(whole: dict[str, Any], output: object) -> Iterator[dict[str, str]]:
    if not isinstance(output, dict):
        yield _problem("/output", "A vote is an object.")
        return
    for name in sorted(set(map(str, output)) - _OUTPUT):
        yield _problem(f"/output/{name[:LONGEST_POINTER]}", "A vote has no such field.")
    evidence = output.get("evidence") or []
    if not isinstance(evidence, list) or len(evidence) > MOST_EVIDENCE:
        yield _problem("/output/evidence", f"A list of at most {MOST_EVIDENCE} quotes.")
        return
    unquoted = list(_unquoted(whole["page"]["text"], evidence))
    yield from unquoted
    if output.get("verdict") == "accept":
        if not unquoted:
            yield from _without_quote(whole["schema"], evidence)
        yield from _reason_problems(output, needed=False)
    elif output.get("verdict") == "reject":
        yield from _reason_problems(output, needed=True)
    else:
        yield _problem("/output/verdict", "Must be one of: accept, reject.")


def _unquoted(text: str, evidence: list[Any]) -> Iterator[dict[str, str]]:
    """The entries of which the quote does not stand where it is said to."""
    for n, each in enumerate(evidence):
        if not _stands(text, each):
            problem = "pointer, quote and start: the text of the page from `start` on is the quote."
            yield _problem(f"/output/evidence/{n}", problem)


def _stands(text: str, each: object) -> bool:
    if not isinstance(each, dict):
        return False
    pointer, quote, start = (each.get(name) for name in _PROVENANCE)
    return (
        isinstance(pointer, str)
        and len(pointer) <= LONGEST_POINTER
        and isinstance(quote, str)
        and 0 < len(quote) <= LONGEST_QUOTE
        and bool(quote.strip())
        and isinstance(start, int)
        and not isinstance(start, bool)
        and 0 <= start <= len(text)
        and text.startswith(quote, start)
        and _can_be_kept(pointer)
    )


def _without_quote(schema: dict[str, Any], evidence: list[Any]) -> Iterator[dict[str, str]]:
    """The required fields for which an accepting vote has no quote."""
    pointers = {each["pointer"] for each in evidence}
    required = [each.pointer for each in plan(schema).every() if each.required and not each.items]
    for pointer in required:
        if not any(each == pointer or each.startswith(f"{pointer}/") for each in pointers):
            yield _problem("/output/evidence", f"Quote what bears out {pointer}.")
    if not required and not pointers:
        yield _problem("/output/evidence", "Quote what bears out the record.")


def _reason_problems(output: dict[str, Any], *, needed: bool) -> Iterator[dict[str, str]]:
    category, reason = output.get("category"), output.get("reason")
    if (needed or category is not None) and category not in CATEGORIES:
        yield _problem("/output/category", f"Must be one of: {', '.join(CATEGORIES)}.")
    if not needed and reason is None:
        return
    if not isinstance(reason, str) or not _can_be_kept(reason):
        yield _problem("/output/reason", "A text.")
    elif not SHORTEST_REASON <= len(reason.strip()) <= LONGEST_REASON:
        yield _problem("/output/reason", f"{SHORTEST_REASON} to {LONGEST_REASON} characters.")


def _can_be_kept(text: str) -> bool:
    """Half of a surrogate pair, which JSON can spell, is no text; nor is NUL in the database."""
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)


def _problem(field: str, problem: str) -> dict[str, str]:
    return {"field": field, "problem": problem}
