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


def test_an_account_with_all_the_room_waits_until_there_is_more() -> None:
    assert jobs_until_share(own=20, room=18, account_limit=100, accounts=4) == 3


def test_an_account_at_its_own_limit_waits_for_its_turns() -> None:
    assert jobs_until_share(own=10, room=500, account_limit=10, accounts=4) == 4


def test_what_took_long_to_count_is_counted_less_often() -> None:
    assert [rest_seconds(counted) for counted in (0, 1_000, 20_000)] == [1.0, 1.0, 20.0]
