"""Changes that a monitor found between two of its runs, page by page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.web.citations import line_difference
from app.web.citations.cited_quotes import passage
from app.web.citations.line_difference import DifferenceRow
from app.web.citations.provenance import readable
from app.web.frame.operations import call, every
from app.web.pages.records.job_view import ENDED

MOST_RUNS: Final = 200
MOST_CHANGES: Final = 100

Run = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """A field then or now, with the passage it was read from."""

    value: str
    source: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class FieldChange:
    pointer: str
    previous: Side | None
    current: Side | None

    @property
    def name(self) -> str:
        return ".".join(self.pointer.split("/")[1:])


@dataclass(slots=True)
class PageHistory:
    """All that runs reported of one page, newest first."""

    url: str
    changes: list["RunChange"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RunChange:
    """The report of one run on a page; `facts` is as the API gives it, `run` the run's number."""

    facts: Mapping[str, Any]
    run: int
    fields: Sequence[FieldChange]
    lines: Sequence[DifferenceRow]


@dataclass(frozen=True, slots=True)
class Versions:
    """The runs that are compared: `since` is the last one known already, `until` the newest shown.

    `steps` are the numbers of runs at which something was there to be seen, oldest first.
    """

    runs: Sequence[Run]
    steps: Sequence[int]
    since: int
    until: int

    @property
    def choices(self) -> list[tuple[int, str]]:
        """The runs to choose from, newest first: those with news, and the two that are shown."""
        numbers = sorted({*self.steps, self.since, self.until}, reverse=True)
        return [(n, f"Run {n}" if n else "Nothing") for n in numbers]

    @property
    def previous(self) -> tuple[int, int] | None:
        before = [n for n in self.steps if n < self.until]
        return (before[-2], before[-1]) if len(before) > 1 else None

    @property
    def next(self) -> tuple[int, int] | None:
        behind = [n for n in self.steps if n > self.until]
        return (self.until, behind[0]) if behind else None


def versions(runs: Sequence[Run], since: str | None, until: str | None) -> Versions:
    """Of runs, newest first; without numbers, the last step."""
    ended = [run for run in runs if _read(run)]
    steps = sorted(run["n"] for run in ended if _is_step(run))
    newest = ended[0]["n"] if ended else 0
    last = _number(until, newest)
    before = [n for n in steps if n < last]
    return Versions(runs, steps, _number(since, before[-1] if before else 0), last)


def _read(run: Run) -> bool:
    return run["completed_at"] is not None and run["status"] in ENDED


def _is_step(run: Run) -> bool:
    """True of a first run, and of one with news."""
    pages = run["pages"]
    return run["n"] == 1 or bool(pages["changed"] + pages["new"] + pages["removed"])


def _number(text: str | None, otherwise: int) -> int:
    return (
        int(text) if text and text.isascii() and text.isdecimal() and len(text) < 9 else otherwise
    )


def by_page(changes: Iterable[RunChange]) -> list[PageHistory]:
    """Changes by the page that they are of, in the order of their first ones."""
    pages: dict[str, PageHistory] = {}
    for change in changes:
        url = change.facts["url"]
        pages.setdefault(url, PageHistory(url)).changes.append(change)
    return list(pages.values())


def changes(job_id: str, shown: Versions) -> Iterator[RunChange]:
    """Yields what runs after `since`, up to `until`, reported, newest first."""
    for run in every("listRuns", "runs", job_id=job_id):
        if run["n"] <= shown.since:
            return
        if run["n"] <= shown.until and _read(run) and _is_step(run):
            for facts in every("listChanges", "changes", {"run": run["id"]}, job_id=job_id):
                yield _change(facts, run["n"])


def _change(facts: Mapping[str, Any], run: int) -> RunChange:
    fields = [
        FieldChange(each["pointer"], _side(each["previous"]), _side(each["current"]))
        for each in facts["fields"]
    ]
    lines = line_difference.written(facts["difference"]) if facts["difference"] else []
    return RunChange(facts, run, fields, lines)


def _side(value: Mapping[str, Any] | None) -> Side | None:
    return None if value is None else Side(readable(value["value"]), passage(value))


def whole_difference(page: PageHistory, *, everything: bool) -> list[DifferenceRow]:
    """The stored text of the oldest version beside that of the newest, line by line."""
    before, after = page.changes[-1].facts["previous_snapshot"], page.changes[0].facts["snapshot"]
    if before is None or after is None:
        return []
    texts = [call("getSnapshot", snapshot_id=id) for id in (before, after)]
    old, new = (each["text"][: each["visible_end"]] for each in texts)
    return line_difference.between(old, new, everything=everything)
