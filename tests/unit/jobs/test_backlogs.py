"""When a caller who was refused is told to come back."""

import pytest

from app.domains.queue.jobs.admission import backlogs
from app.domains.queue.jobs.admission.admission import jobs_until_share
from app.domains.queue.jobs.admission.backlogs import rest_seconds, retry_seconds


@pytest.mark.parametrize(
    ("jobs", "per_second", "seconds"),
    [
        (1, 0.1, 10),
        (50, 2.0, 25),
        (7, 2.0, 4),
        (1, 100.0, backlogs.SHORTEST_RETRY_SECONDS),
        (1_000, 1.0, backlogs.LONGEST_RETRY_SECONDS),
        (1, 0.0, backlogs.LONGEST_RETRY_SECONDS),
        (1, None, backlogs.UNKNOWN_RETRY_SECONDS),
    ],
)
def test_a_caller_is_to_come_back_when_the_jobs_before_have_begun(
    jobs: int, per_second: float | None, seconds: int
) -> None:
    assert retry_seconds(jobs, per_second) == seconds


@pytest.mark.parametrize(("own", "room", "limit", "jobs"), [(20, 18, 100, 3), (10, 500, 10, 4)])
def test_an_account_waits_until_there_is_more_room_or_for_its_turns_at_its_own_limit(
    own: int, room: int, limit: int, jobs: int
) -> None:
    assert jobs_until_share(own=own, room=room, account_limit=limit, accounts=4) == jobs


def test_what_took_long_to_count_is_counted_less_often() -> None:
    assert [rest_seconds(counted) for counted in (0, 1_000, 20_000)] == [1.0, 1.0, 20.0]
