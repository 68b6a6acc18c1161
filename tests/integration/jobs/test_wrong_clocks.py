"""Only the database's clock counts: that of a process may be set to anything."""

from datetime import UTC, datetime, timedelta

import pytest

from app.core import db
from app.domains.queue.jobs import schedule_store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.dispatch import selection
from tests.integration.jobs import rows


class NextYear(datetime):
    """What a process reads whose clock is a year ahead."""

    @classmethod
    def now(cls, tz: object = None) -> "NextYear":  # type: ignore[override]
        return cls.fromtimestamp(datetime.now(UTC).timestamp() + 365 * 86_400, UTC)


def test_a_process_whose_clock_is_ahead_deletes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "datetime", NextYear, raising=False)
    id = rows.promise()
    with db.transaction() as tx:
        tx.execute("update jobs set state = 'succeeded', finished_at = now() where id = %s", [id])
        assert selection.retire(tx, 30) == 0


def test_a_worker_knows_the_time_of_the_database() -> None:
    id = rows.promise()
    with db.transaction() as tx:
        (claimed,) = jobs.claim(tx, [id], "host:1:1", 30)
        now = schedule_store.clock(tx)
    assert claimed.claimed_time == now
    assert claimed.now - now < timedelta(minutes=1)
