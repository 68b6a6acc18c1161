"""The tally of a mixed load sees what must not be."""

import json
from typing import Any

import pytest

from tests.mixed.extractions import Accepted, tally_hook
from tests.mixed.receiver import Message, Receiver
from tests.mixed.tally import Tally
from tests.mixed.world import LIGHTHOUSES

JOB = Accepted("job_1", LIGHTHOUSES[0], "/hooks/1", "whsec_c2VjcmV0")


def row(**changes: Any) -> dict[str, Any]:
    return {
        "id": "srch_1",
        "status": "completed",
        "completed_at": "2026-11-22T10:00:00Z",
        "deadline_at": "2026-11-22T10:00:05Z",
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"completed_at": None}, "open"),
        ({"completed_at": "2026-11-22T10:00:09Z"}, "late"),
        ({"status": "failed"}, "lost"),
    ],
)
def test_a_job_that_did_not_end_well_is_counted(changes: dict[str, Any], what: str) -> None:
    tally = Tally()
    tally.ended(row(**changes))
    assert (getattr(tally, what), tally.good) == (1, False)


def test_a_job_that_ended_well_in_time_is_no_fault() -> None:
    tally = Tally()
    assert tally.ended(row())
    assert tally.good


def message(id: str, *, type: str = "job.completed", version: int = 1) -> Message:
    body = {"type": type, "data": {"id": "job_1", "version": version}}
    return Message("/hooks/1", {"webhook-id": id}, json.dumps(body).encode())


def hooks(*messages: Message) -> Tally:
    receiver, tally = Receiver(), Tally()
    for each in messages:
        receiver.keep(each)
    tally_hook(tally, receiver, JOB)
    return tally


def test_a_webhook_that_never_came_is_lost() -> None:
    assert hooks().lost == 1


def test_two_events_of_one_end_are_doubled() -> None:
    assert hooks(message("1"), message("2")).doubled == 1


def test_one_event_with_two_contents_is_wrong() -> None:
    examples = hooks(message("1"), message("1", version=2)).examples
    assert any("two contents" in example for example in examples)


def test_one_event_that_came_twice_is_not_doubled() -> None:
    assert hooks(message("1"), message("1")).doubled == 0
