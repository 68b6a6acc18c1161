"""The bytes of an event are small, and say what was left out."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from app.domains.queue.webhooks import events

AT = datetime(2026, 11, 22, 5, tzinfo=UTC)


def data(**given: Any) -> Any:
    text = events.body("job.completed", AT, 7, {"id": "job_1", **given})
    assert len(text) <= events.MOST_BYTES
    return orjson.loads(text)


def test_an_event_has_a_type_a_time_and_data_with_a_version() -> None:
    assert data(status="completed") == {
        "type": "job.completed",
        "timestamp": "2026-11-22T05:00:00Z",
        "data": {"id": "job_1", "status": "completed", "version": 7},
    }


def test_of_too_much_data_the_largest_members_are_left_out_and_named() -> None:
    shown = data(metadata={"a": "ö" * 9_000}, changes=["x" * 12_000], status="completed")["data"]
    assert shown["omitted"] == ["metadata"]
    assert (len(shown["changes"]), shown["status"]) == (1, "completed")


@pytest.mark.parametrize("members", [1, 30])
def test_it_stays_small_whatever_it_is_given(members: int) -> None:
    shown = data(**{f"n{n}": "x" * 5_000 for n in range(members)}, huge="x" * 50_000)["data"]
    assert (shown["id"], shown["version"], "huge" in shown["omitted"]) == ("job_1", 7, True)
