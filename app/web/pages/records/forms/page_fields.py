"""Fields that a page offers: names that stand in its text, and the values a job reads for them.

Two short jobs read the page: the first stores its text, the second looks for the names in it and
says in its metadata which was the first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from app.core.http.idempotency import IdempotencyInProgress
from app.web.frame.operations import call
from app.web.pages.records.forms import field_rows
from app.web.pages.records.forms.field_rows import TYPES, FieldRow
from app.web.pages.records.job_view import ENDED

TITLE: Final = "Fields of a page"
"""The name of both jobs in lists."""
FIRST: Final = "text_of"
"""The metadata by which the second job names the first."""
COMMON: Final[Mapping[str, str]] = {
    "name": "text",
    "description": "text",
    "price": "number",
    "currency": "text",
    "brand": "text",
    "sku": "text",
    "rating": "number",
    "author": "text",
    "published": "date",
    "category": "text",
}
"""Fields that pages have under many names, with their types."""
SURE: Final = 0.78
"""The confidence from which a field is ticked."""
_MOST_NAMES: Final = 30
_MOST_LINES: Final = 3_000
_MOST_AHEAD: Final = 12
_LONGEST_LINE: Final = 300
_LABEL: Final = re.compile(r"([^\W\d_][^\d:：\n]{0,38})[:：]\s*\S")
_ALONE: Final = re.compile(r"[^\W\d_][^\d:：.,;!?\n]{0,29}")
_POINTER: Final = re.compile(r"\S*#(?:/[^/\s]{1,60})*/([A-Za-z][A-Za-z]{1,39}) \S")
_NO_WORD: Final = re.compile(r"\W+")
_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = re.compile(r"[€$£]?\s?\d{1,12}(?:[.,]\d{1,6})*\s?[€$£]?")
_DATE: Final = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}\.? [^\W\d_]{3,12}\.? \d{4}|[^\W\d_]{3,12} \d{1,2}, \d{4}"
)


@dataclass(frozen=True, slots=True)
class PageFields:
    """`job` is the one to wait for, or that has ended; `rows` is there once a record was read."""

    job: Mapping[str, Any]
    url: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[FieldRow] = ()
    records: int = 0

    @property
    def is_stored(self) -> bool:
        """True if the text of the page is there to be looked through by a second job."""
        return self.job["status"] == "completed" and FIRST not in self.job["metadata"]

    @property
    def waits(self) -> bool:
        return self.is_stored or self.job["status"] not in ENDED


def begin(address: str, once: str | None) -> str:
    """Start reading the page; the id of the job that stores its text. Raises Invalid."""
    job = call("createJob", _body(address, {"title": {"type": "string"}}), once=once)
    return str(job["id"])


def _body(url: str, properties: Mapping[str, Any], **metadata: str) -> dict[str, Any]:
    return {
        "type": "extraction",
        "source": {"type": "url", "url": url},
        "schema": {"type": "object", "properties": properties},
        "max_pages": 1,
        "metadata": {"name": TITLE, **metadata},
    }


def look(job_id: str) -> str:
    """Look for fields in the text that a first job has stored, once; the id of the job that does,
    or of the first while it cannot begin.
    """
    found = of(job_id)
    if not found.is_stored:
        return job_id
    body = _body(found.url, _properties(_names(job_id)), **{FIRST: job_id})
    try:
        return str(call("createJob", body, once=f"fields-{job_id}")["id"])
    except IdempotencyInProgress:
        return job_id


def of(job_id: str) -> PageFields:
    job = call("getJob", job_id=job_id)
    url = (job["source"] or {}).get("url") or ""
    if job["status"] != "completed" or FIRST not in job["metadata"]:
        return PageFields(job, url)
    asked = call("getJobRequest", job_id=job_id)["request"]["schema"]
    found = call("listRecords", query={"limit": 1}, job_id=job_id)["records"]
    rows = _rows(found[0], asked) if found else []
    schema = {"type": "object", "properties": {row.was: TYPES[row.type][1] for row in rows}}
    return PageFields(job, url, schema, rows, job["progress"]["records"])


def _names(job_id: str) -> list[str]:
    pages = call("listPages", query={"limit": 1}, job_id=job_id)["pages"]
    if not pages or not pages[0]["snapshot"]:
        return []
    snapshot = call("getSnapshot", snapshot_id=pages[0]["snapshot"])
    return names_in(snapshot["text"], snapshot["visible_end"])


def names_in(text: str, visible_end: int) -> list[str]:
    """Names of fields that the text of a page gives, likeliest first; at most a few dozen."""
    shown, stated = text[:visible_end].split("\n", _MOST_LINES), text[visible_end:].split("\n")
    lines = [line.strip()[:_LONGEST_LINE] for line in shown[:_MOST_LINES]]
    labels = (match[1] for line in lines if (match := _LABEL.match(line)))
    keys = (m[1] for line in stated[:_MOST_LINES] if (m := _POINTER.match(line[:_LONGEST_LINE])))
    own = (_name(label) for label in (*labels, *keys, *_lone(lines)))
    new = dict.fromkeys(name for name in own if name and name not in COMMON)
    return list(islice(new, _MOST_NAMES))


def _lone(lines: Sequence[str]) -> Iterator[str]:
    """Short lines shortly before a figure: heads of tables and lists have one not far below."""
    ahead = _MOST_AHEAD + 1
    found: list[str] = []
    for line in reversed(lines):
        ahead = 0 if _DIGIT.search(line) else ahead + 1
        if 0 < ahead <= _MOST_AHEAD and _ALONE.fullmatch(line) and len(line.split()) <= 3:
            found.append(line)
    return reversed(found)


def _name(label: str) -> str:
    """`Prep time` as `prep_time`; nothing of what is longer than a name."""
    name = _NO_WORD.sub("_", label.lower()).strip("_")
    return name if 2 <= len(name) <= 40 and name.count("_") <= 3 else ""


def _properties(names: Iterable[str]) -> dict[str, Any]:
    common = {name: TYPES[type][1] for name, type in COMMON.items()}
    return {**common, **{name: {"type": "string"} for name in names}}


def _rows(record: Mapping[str, Any], schema: Mapping[str, Any]) -> list[FieldRow]:
    """Rows of the values read, the sure first and ticked; of two for a place the likelier."""
    quotes = {each["pointer"][1:]: each for each in reversed(record["provenance"])}
    values = {name: value for name, value in record["data"].items() if name in quotes}
    ranked = sorted(values, key=lambda name: _rank(name, quotes[name]), reverse=True)
    places: dict[int, str] = {}
    for name in ranked:
        places.setdefault(quotes[name]["start"], name)
    kept = [name for name in schema["properties"] if name in places.values()]
    kept.sort(key=lambda name: not _is_sure(quotes[name]))
    return [_row(n, name, values[name], quotes[name]) for n, name in enumerate(kept)]


def _rank(name: str, quote: Mapping[str, Any]) -> tuple[bool, bool, float]:
    return _is_sure(quote), name in COMMON, quote["confidence"]


def _is_sure(quote: Mapping[str, Any]) -> bool:
    return bool(quote["confidence"] >= SURE)


def _row(n: int, name: str, value: Any, quote: Mapping[str, Any]) -> FieldRow:
    text = field_rows.written(value)
    type = COMMON.get(name) or _type_of(text)
    return FieldRow(
        n, name, name, name, type, found=text, value=text, quote=quote["quote"], on=_is_sure(quote)
    )


def _type_of(text: str) -> str:
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.fullmatch(text) else "text"


def forget(job_id: str) -> None:
    """Delete both jobs: what was read of the page is in the form. Other jobs stay."""
    named = call("getJob", job_id=job_id)["metadata"]
    for id in filter(None, (named.get(FIRST), job_id)):
        if call("getJob", job_id=id)["metadata"].get("name") == TITLE:
            call("deleteJob", job_id=id)
