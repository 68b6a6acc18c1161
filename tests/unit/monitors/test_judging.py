"""What a run makes of one page, by what came of it and what is known."""

import gzip
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from app.domains.records.monitors import page_states
from app.domains.records.monitors.page_states import (
    CHANGED,
    CODE,
    ERROR,
    NEW,
    SAME,
    SOFT_404,
    PageVerdict,
    Watch,
)
from app.domains.records.monitors.page_store import WatchedPage
from app.domains.records.page_jobs.runs.types import PageResult
from tests.plans import NUMBER, TEXT, TEXTS, plan_of

RUN, LATER = uuid4(), uuid4()
PLAN = plan_of("name", name=TEXT, price=NUMBER, tags=TEXTS)
LAMP = {"name": "Lamp", "price": 9.5, "tags": ["a", "b"]}


@dataclass
class Quote:
    pointer: str
    method: str
    quote: str = "q"

    def as_json(self) -> dict[str, Any]:
        around = {"prefix": "", "suffix": "", "json_pointer": None}
        return {"pointer": self.pointer, "quote": self.quote, "method": self.method, **around}


@dataclass
class Read:
    """What the engine says of a page, as far as it is compared."""

    data: list[dict[str, Any]] = field(default_factory=list)
    lines: tuple[tuple[str, str], ...] = ()
    method: str = "table"
    language: str | None = "en"
    text: str = ""
    visible_end: int = 0

    @property
    def records(self) -> list[Any]:
        return [
            Record(each, [Quote(f"/{name}", self.method) for name in each]) for each in self.data
        ]


@dataclass
class Record:
    data: dict[str, Any]
    provenance: list[Quote]


def result(read: Read | None = None, outcome: str = "read", **facts: Any) -> PageResult:
    return PageResult(
        page_id=uuid4(),
        n=1,
        url="https://a.test/lamp",
        outcome=outcome,
        fetched_at=datetime(2026, 11, 22, tzinfo=UTC),
        page_records=read,  # type: ignore[arg-type]
        body=b"<p>" if read else None,
        **facts,
    )


def records(*data: dict[str, Any], method: str = "table") -> PageResult:
    return result(Read(list(data), method=method))


def lines(*texts: str) -> PageResult:
    return result(Read(lines=tuple(("p", text) for text in texts)))


def known(judged: PageVerdict, **more: Any) -> WatchedPage:
    """The page as it is known after that."""
    page = WatchedPage(
        url="https://a.test/lamp",
        state=judged.state,
        media_type=None,
        charset=None,
        final_url=None,
        snapshot_id=None,
        etag=None,
        last_modified=None,
        body_hash=None,
        settled=judged.settled,
        look=judged.look,
        look_run=None,
        removed=False,
    )
    return replace(page, **more)


def watch(*track: str, run_id: Any = RUN, schema: bool = True) -> Watch:
    return Watch.of(run_id, 5, PLAN if schema else None, track)


def never() -> Any:
    raise AssertionError("nothing was to be read again")


def judge(
    page: WatchedPage | None, come: PageResult, *track: str, reread: Any = never
) -> PageVerdict:
    return watch(*track).judge(page, come, reread)


BEGUN = known(judge(None, records(LAMP)))
LOOKED = replace(BEGUN, look_run=RUN)


def test_a_page_that_is_seen_first_is_new() -> None:
    assert judge(None, records(LAMP)).verdict == NEW


def test_order_and_typography_are_no_change() -> None:
    again = {"tags": ["b", "a"], "price": 9.50, "name": " Lamp "}
    assert judge(BEGUN, records(again)).verdict == SAME


def test_a_value_that_became_another_is_reported_at_once() -> None:
    judged = judge(BEGUN, records({**LAMP, "price": 9.51}))
    assert judged.verdict == CHANGED
    ((change,),) = [report.fields for report in judged.reports]
    assert change.pointer == "/price"
    assert change.previous
    assert change.previous["value"] == 9.5
    assert change.current
    assert change.current["value"] == 9.51
    assert change.previous["provenance"][0]["quote"] == "q"


def test_a_change_is_reported_once() -> None:
    dearer = records({**LAMP, "price": 9.51})
    assert judge(known(judge(BEGUN, dearer)), records({**LAMP, "price": 9.51})).verdict == SAME


def test_what_is_not_tracked_never_counts() -> None:
    assert judge(BEGUN, records({**LAMP, "price": 1.0}), "/name").verdict == SAME


def test_a_field_that_vanished_is_looked_at_again() -> None:
    judged = judge(BEGUN, records({"name": "Lamp", "price": 9.5}))
    assert judged.again


def test_a_field_that_vanished_waits_for_the_next_run() -> None:
    gone = {"name": "Lamp", "price": 9.5}
    waiting = judge(LOOKED, records(gone))
    assert (waiting.verdict, waiting.settled) == (SAME, False)
    told = judge(known(waiting), records(gone))
    assert told.verdict == CHANGED
    assert [(x.pointer, x.current) for x in told.reports[0].fields] == [("/tags", None)]
    assert judge(known(told), records(gone)).verdict == SAME


def test_what_vanished_from_one_record_says_nothing_of_another() -> None:
    chair = {"name": "Chair", "price": 20.0, "tags": ["c"]}
    both = replace(known(judge(None, records(LAMP, chair))), look_run=RUN)
    waiting = judge(both, records({"name": "Lamp", "price": 9.5}, chair))
    later = replace(known(waiting), look_run=RUN)
    assert judge(later, records(LAMP, {"name": "Chair", "price": 20.0})).verdict == SAME


def test_a_field_that_came_back_was_never_gone() -> None:
    waiting = judge(LOOKED, records({"name": "Lamp", "price": 9.5}))
    back = judge(known(waiting), records(LAMP))
    assert (back.verdict, back.settled) == (SAME, True)
    assert (
        judge(known(back, look_run=RUN), records({"name": "Lamp", "price": 9.5})).settled is False
    )


def test_a_change_beside_a_vanished_field_does_not_take_it_along() -> None:
    judged = judge(LOOKED, records({"name": "Lamp", "price": 8.0}))
    assert [x.pointer for x in judged.reports[0].fields] == ["/price"]
    assert judged.state
    assert judged.state["records"][0]["cells"]["/tags"]["value"] == ["a", "b"]


def test_a_record_that_is_new_on_its_page_is_a_change() -> None:
    judged = judge(BEGUN, records(LAMP, {"name": "Chair", "price": 20.0}))
    (report,) = judged.reports
    assert (report.before, report.now) == (None, 1)
    assert {x.pointer for x in report.fields} == {"/name", "/price"}


def test_a_record_that_went_waits_for_the_next_run() -> None:
    both = known(judge(None, records(LAMP, {"name": "Chair"})), look_run=RUN)
    waiting = judge(both, records(LAMP))
    assert waiting.verdict == SAME
    told = judge(known(waiting), records(LAMP))
    assert [(report.before, report.now) for report in told.reports] == [(1, None)]


def test_records_in_another_order_are_the_same() -> None:
    both = known(judge(None, records(LAMP, {"name": "Chair"})))
    assert judge(both, records({"name": "Chair"}, LAMP)).verdict == SAME


def test_records_of_one_identity_are_told_apart_by_what_they_say() -> None:
    small, large = {"name": "Lamp", "price": 5.0}, {"name": "Lamp", "price": 9.0}
    both = known(judge(None, records(small, large)))
    assert judge(both, records(large, small)).verdict == SAME


def test_of_records_of_one_identity_the_one_that_went_is_reported() -> None:
    small, large = {"name": "Lamp", "price": 5.0}, {"name": "Lamp", "price": 9.0}
    both = known(judge(None, records(small, large)), look_run=RUN)
    waiting = judge(both, records(large))
    assert waiting.verdict == SAME
    told = judge(known(waiting), records(large))
    assert [(report.before, report.now) for report in told.reports] == [(0, None)]


def test_records_without_identity_are_the_same_in_another_order() -> None:
    one, other = {"tags": ["a", "b"]}, {"tags": ["c", "d"]}
    both = known(judge(None, records(one, other)))
    assert judge(both, records({"tags": ["d", "c"]}, {"tags": ["b", "a"]})).verdict == SAME


def test_another_method_is_compared_with_what_it_makes_of_the_old_page() -> None:
    """The old page read as today: it always said so."""
    come = records({**LAMP, "price": 9.0}, method="labels")
    old = Read([{**LAMP, "price": 9.0}], method="labels")
    assert judge(BEGUN, come, reread=lambda: old).verdict == SAME


def test_what_other_code_read_is_read_again() -> None:
    assert BEGUN.state is not None
    before = replace(BEGUN, state={**BEGUN.state, "version": "0"})
    judged = judge(before, records({**LAMP, "price": 9.0}), reread=lambda: Read([LAMP]))
    assert judged.verdict == CHANGED
    assert judged.state
    assert judged.state["version"] == CODE


@pytest.mark.parametrize(
    "outcome", ["http_404", "http_503", "timeout", "blocked", "needs_rendering"]
)
def test_a_page_that_does_not_come_is_an_error_and_nothing_moves(outcome: str) -> None:
    judged = judge(BEGUN, result(outcome=outcome))
    assert (judged.verdict, judged.state) == (ERROR, None)


def test_a_page_that_leads_to_the_front_page_is_missing() -> None:
    come = result(Read([LAMP]), final_url="https://a.test/")
    assert judge(BEGUN, come).verdict == ERROR
    assert come.outcome == SOFT_404
    assert come.outcome in page_states.MISSING


def test_the_front_page_by_another_address_is_not_missing() -> None:
    come = result(Read([LAMP]), final_url="https://a.test/")
    come.url = "https://a.test/index.html"
    assert judge(BEGUN, come).verdict == SAME


def test_what_the_site_says_is_unchanged_is_the_same() -> None:
    judged = judge(BEGUN, result(outcome="unchanged"))
    assert (judged.verdict, judged.state) == (SAME, None)


def test_a_removed_page_that_is_back_is_new() -> None:
    assert judge(replace(BEGUN, removed=True), records(LAMP)).verdict == NEW


# Without a schema.


def judge_lines(page: WatchedPage | None, come: PageResult) -> PageVerdict:
    return watch(schema=False).judge(page, come, never)


def settled(*texts: str) -> WatchedPage:
    """A page whose lines are known, after quiet runs."""
    page = known(judge_lines(None, lines(*texts)), look_run=RUN)
    for _ in range(4):
        page = known(judge_lines(page, lines(*texts)), look=page.look, look_run=RUN)
    return replace(page, look_run=None)


def test_a_text_is_looked_at_twice_before_it_is_known() -> None:
    first = judge_lines(None, lines("One"))
    assert first.again
    assert judge_lines(known(first, look_run=RUN), lines("One")).verdict == NEW


def test_a_text_that_changed_is_shown_as_a_difference() -> None:
    page, come = settled("Price 9.50 EUR", "Text"), lines("Text", "Price 9.60 EUR")
    first = judge_lines(page, come)
    assert first.again
    judged = judge_lines(replace(page, look=first.look, look_run=RUN), come)
    assert judged.verdict == CHANGED
    assert judged.difference == "- Price 9.50 EUR\n+ Price 9.60 EUR"


def test_a_text_that_is_the_same_is_not_looked_at_again() -> None:
    judged = judge_lines(settled("One", "Two"), lines("Two", "One"))
    assert (judged.verdict, judged.settled) == (SAME, True)


def test_a_look_is_kept_small() -> None:
    look = judge_lines(None, lines(*["Some text"] * 500)).look
    assert look is not None
    assert len(look) < len(gzip.decompress(look)) / 10
