"""The verdict of a run on one page: new, the same, changed, an error, or to be looked at again.

Nothing here waits or writes. The state of a page is JSON: its records, or its lines where a monitor
has no schema.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from app.domains.records.monitors import comparison
from app.domains.records.monitors.comparison import FieldChange, Kept, RecordChange
from app.domains.records.monitors.page_store import WatchedPage
from app.domains.records.page_jobs.runs.types import PageResult
from app.engine.extraction.changes.page_lines import PageLine, PageLines
from app.engine.extraction.changes.text_state import TextState, begun
from app.engine.extraction.schema.schema import Field, Plan

SAME: Final = "same"
NEW: Final = "new"
CHANGED: Final = "changed"
REMOVED: Final = "removed"
ERROR: Final = "error"

SOFT_404: Final = "soft_404"
MISSING: Final = ("http_404", "http_410", SOFT_404)
"""The page is not there, as far as its site says; all other failures say nothing of the page."""

CODE: Final = version("citegrid-server")
"""What is read by other code is compared with what this code makes of the stored body."""

LOOK_AGAIN_SECONDS: Final = 30.0

_FRONT: Final = re.compile(r"/?(?:(?:index|default|home)(?:\.\w+)?)?", re.IGNORECASE)

Reread = Callable[[], Any]
"""The stored body of the page as today's code reads it; None when it cannot be read."""


@dataclass(slots=True, kw_only=True)
class PageVerdict:
    """The verdict on a page, with all that is to be written; `state` None leaves that as it is.

    `reports` are the changed fields of changed records; `records` those that were read. `look` is
    what a first look saw. `settled`: nothing waits for the next run, so then the site may be asked
    whether anything changed at all. `previous` is the page as it was known.
    """

    verdict: str | None
    settled: bool = True
    state: dict[str, Any] | None = None
    reports: tuple[RecordChange, ...] = ()
    before: list[Kept] = field(default_factory=list)
    records: list[Kept] = field(default_factory=list)
    difference: str | None = None
    look: bytes | None = None
    previous: WatchedPage | None = None
    body_hash: bytes | None = None

    @property
    def again(self) -> bool:
        """True if a second look has to decide."""
        return self.verdict is None


@dataclass(frozen=True, slots=True)
class Watch:
    """The subject of a monitor's run: fields of records, or lines where it has no schema."""

    run_id: UUID
    run_n: int
    plan: Plan | None
    fields: Sequence[Field]

    @classmethod
    def of(
        cls, run_id: UUID, run_n: int, plan: Plan | None, track: Sequence[str] | None
    ) -> "Watch":
        return cls(run_id, run_n, plan, comparison.tracked(plan, track) if plan else ())

    def judge(self, page: WatchedPage | None, result: PageResult, reread: Reread) -> PageVerdict:
        if _led_to_front_page(result):
            result.outcome, result.page_records, result.body = SOFT_404, None, None
        if result.outcome == "unchanged":
            return PageVerdict(verdict=SAME, previous=page)
        if result.page_records is None:
            return PageVerdict(verdict=ERROR, previous=page)
        judged = (self._lines if self.plan is None else self._records)(page, result, reread)
        judged.previous = page
        judged.body_hash = hashlib.sha256(result.body or b"").digest()
        return judged

    def _looked(self, page: WatchedPage | None) -> bool:
        """True if this run looks at the page for the second time."""
        return page is not None and page.look_run == self.run_id

    # With a schema.

    def _records(self, page: WatchedPage | None, result: PageResult, reread: Reread) -> PageVerdict:
        now = self._kept(result.page_records)
        if page is None or page.state is None or page.removed:
            return PageVerdict(verdict=NEW, state=_records_state(now), records=now)
        before, waiting = page.state["records"], set(page.state["waiting"])
        changes = comparison.changes(self.fields, before, now)
        if _is_read_otherwise(page.state, changes) and (old := reread()) is not None:
            # Like with like: the old page as today's code reads it.
            before = self._kept(old)
            changes = comparison.changes(self.fields, before, now)
        reports, held = _parted(before, changes, waiting)
        if held and not self._looked(page):
            return PageVerdict(verdict=None)
        if not reports:
            state = _records_state(before, _marks(before, held)) if held or waiting else None
            return PageVerdict(verdict=SAME, state=state, settled=not held)
        merged = comparison.merged(before, now, held)
        return PageVerdict(
            verdict=CHANGED,
            state=_records_state(merged, _marks(before, held)),
            settled=not held,
            reports=tuple(reports),
            before=before,
            records=now,
        )

    def _kept(self, read: Any) -> list[Kept]:
        assert self.plan is not None  # noqa: S101 (only asked with a schema)
        return comparison.kept(self.plan, self.fields, read)

    # Without a schema.

    def _lines(self, page: WatchedPage | None, result: PageResult, reread: Reread) -> PageVerdict:
        seen = _lines_of(result.page_records, result)
        if page is None or page.state is None or page.removed:
            if not self._looked(page):
                return PageVerdict(verdict=None, look=_packed(seen))
            return self._told(NEW, begun(_unpacked(page), seen, self.run_n))
        state = TextState.from_json(page.state["text"])
        if page.state["version"] != CODE and (old := reread()) is not None:
            lines = tuple(PageLine(place, text) for place, text in old.lines)
            state = replace(state, page=replace(state.page, lines=lines))
        if not self._looked(page):
            if not state.is_same(seen, self.run_n):
                return PageVerdict(verdict=None, look=_packed(seen))
            return self._told(SAME, state.quiet(self.run_n))
        difference, state = state.judge(_unpacked(page), seen, self.run_n)
        if difference is None:
            return self._told(SAME, state)
        judged = self._told(CHANGED, state)
        judged.difference = difference.unified()
        return judged

    def _told(self, verdict: str, state: TextState) -> PageVerdict:
        json_state = {"version": CODE, "text": state.as_json()}
        return PageVerdict(verdict=verdict, state=json_state, settled=state.settled)


def _led_to_front_page(result: PageResult) -> bool:
    """A site without the page may lead to its front page, as if that were an answer."""
    if result.final_url is None or result.final_url == result.url:
        return False
    final = urlsplit(result.final_url)
    return not _FRONT.fullmatch(urlsplit(result.url).path) and (
        _FRONT.fullmatch(final.path) is not None and not final.query
    )


def _records_state(records: list[Kept], waiting: Sequence[str] = ()) -> dict[str, Any]:
    return {"version": CODE, "records": records, "waiting": list(waiting)}


def _is_read_otherwise(state: dict[str, Any], changes: Sequence[RecordChange]) -> bool:
    """True if what differs may be the reading: by other code, or by another method."""
    fields = [each for change in changes for each in change.fields]
    return bool(fields) and (
        state["version"] != CODE
        or any(
            each.previous and each.current and _method(each.previous) != _method(each.current)
            for each in fields
        )
    )


def _method(cell: comparison.Cell) -> str | None:
    return next((quote["method"] for quote in cell["provenance"]), None)


def _parted(
    before: list[Kept], changes: Sequence[RecordChange], waiting: set[str]
) -> tuple[list[RecordChange], list[RecordChange]]:
    """Parts the changes to report from those the next run has to confirm as gone."""
    reports, held = [], []
    for change in changes:
        fresh = tuple(
            each
            for each in change.fields
            if each.vanished and comparison.mark(before, change, each) not in waiting
        )
        known = tuple(each for each in change.fields if each not in fresh)
        reports += [replace(change, fields=known)] if known else []
        held += [replace(change, fields=fresh)] if fresh else []
    return reports, held


def _marks(before: list[Kept], held: Sequence[RecordChange]) -> list[str]:
    return [comparison.mark(before, change, each) for change, each in _each(held)]


def _each(changes: Sequence[RecordChange]) -> Iterator[tuple[RecordChange, FieldChange]]:
    return ((change, each) for change in changes for each in change.fields)


def _lines_of(read: Any, result: PageResult) -> PageLines:
    lines = tuple(PageLine(place, text) for place, text in read.lines)
    return PageLines(lines, result.fetched_at.date(), read.language)


def _packed(seen: PageLines) -> bytes:
    return gzip.compress(json.dumps(seen.as_json()).encode(), 6)


def _unpacked(page: WatchedPage | None) -> PageLines:
    look = page.look if page is not None else None
    return PageLines.from_json(json.loads(gzip.decompress(look or b"")))
