"""The pace of a job, and its times as a picture."""

from datetime import UTC, datetime, timedelta

from app.web.charts.timeline import TimeSpan, timeline
from app.web.frame import times
from app.web.pages.records.job_times import ReadingPace, of_steps, pace

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
STARTED = "2026-11-26T11:59:00Z"


def test_the_time_left_follows_from_the_pages_read_so_far() -> None:
    progress = {"pages_done": 30, "pages_found": 90}
    assert pace(progress, STARTED, NOW) == ReadingPace("30 pages a minute", 120.0)


def test_a_fast_job_is_told_by_the_second() -> None:
    progress = {"pages_done": 120, "pages_found": 120}
    assert pace(progress, STARTED, NOW) == ReadingPace("2 pages a second", None)


def test_a_very_fast_job_is_told_in_digits() -> None:
    progress = {"pages_done": 72_000, "pages_found": 72_000}
    assert pace(progress, STARTED, NOW).rate == "1,200 pages a second"


def test_nothing_is_told_before_a_page_was_read() -> None:
    assert pace({"pages_done": 0, "pages_found": 5}, STARTED, NOW) == ReadingPace()
    assert pace({"pages_done": 1, "pages_found": 5}, None, NOW) == ReadingPace()


def test_bars_stand_where_and_as_long_as_their_times() -> None:
    spans = [
        TimeSpan("Waiting", "queued", NOW, NOW + timedelta(seconds=25)),
        TimeSpan("Reading", "running", NOW + timedelta(seconds=25)),
    ]
    svg = str(timeline(spans, NOW + timedelta(seconds=100)))
    assert 'class="span idle" x="0%" y="24" width="25%"' in svg
    assert 'class="span run" x="25%" y="68" width="75%"' in svg
    assert 'aria-label="Timeline. Waiting: Queued, 25 s; Reading: Running, 1 min 15 s"' in svg


def test_what_took_no_time_is_seen_and_stays_inside() -> None:
    spans = [
        TimeSpan("read", "done", NOW, NOW + timedelta(seconds=10)),
        TimeSpan("<once>", "done", NOW + timedelta(seconds=10), NOW + timedelta(seconds=10)),
    ]
    svg = str(timeline(spans, NOW))
    assert 'x="99.4%" y="68" width="0.6%"' in svg
    assert "<once>" not in svg


def test_steps_that_have_not_started_have_no_bar() -> None:
    step = {"id": "read", "state": "waiting", "started_at": None, "completed_at": None}
    assert of_steps([step]) is None


def test_durations_of_rows_are_told_with_the_longest() -> None:
    rows = [
        {"id": "a", "started_at": STARTED, "completed_at": "2026-11-26T11:59:30Z"},
        {"id": "b", "started_at": None, "completed_at": None},
    ]
    assert times.durations(rows) == {"took": {"a": 30.0, "b": None}, "longest": 30.0}
