"""Health of offers: counted by each process, written every few seconds, read by windows."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from operator import add
from typing import Any, Final
from uuid import UUID

import psycopg

from app.core import db, log
from app.core.db import Reader
from app.domains.providers.chats.health import health_store
from app.domains.providers.chats.health.health_store import NOTHING, Minute, Total
from app.engine.judging import histogram
from app.engine.judging.offer_choice import OfferMeasurements

_MINUTES: Final = {"5m": 300, "30m": 1_800, "1d": 86_400}
LONGEST: Final = "30d"
"""Of whole days (UTC), today included."""
WINDOWS: Final = (*_MINUTES, LONGEST)
LEAST_REQUESTS: Final = 20
"""Nothing is published of a window with fewer."""
CHOICE_SECONDS: Final = 300
WRITE_SECONDS: Final = 5.0

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class ChatOutcome:
    """Of one chat. A client that left and a refused request are no failures of the offer."""

    failed: bool = False
    aborted: bool = False
    first_token_ms: int | None = None
    tokens: int = 0
    seconds: float = 0.0
    """From the first token to the last."""


@dataclass(slots=True)
class _Counts:
    requests: int = 0
    failed: int = 0
    aborted: int = 0
    tokens: int = 0
    first_token_ms: list[int] = field(default_factory=lambda: [0] * histogram.BUCKETS)
    tokens_per_second: list[int] = field(default_factory=lambda: [0] * histogram.BUCKETS)

    def add(self, outcome: ChatOutcome) -> None:
        self.requests += 1
        self.failed += outcome.failed
        self.aborted += outcome.aborted
        self.tokens += outcome.tokens
        if outcome.first_token_ms is not None:
            at = histogram.bucket(outcome.first_token_ms, histogram.FIRST_TOKEN_MS)
            self.first_token_ms[at] += 1
        if outcome.tokens and outcome.seconds > 0:
            speed = outcome.tokens / outcome.seconds
            self.tokens_per_second[histogram.bucket(speed, histogram.TOKENS_PER_SECOND)] += 1

    def add_all(self, other: "_Counts") -> None:
        self.requests += other.requests
        self.failed += other.failed
        self.aborted += other.aborted
        self.tokens += other.tokens
        for mine, theirs in (
            (self.first_token_ms, other.first_token_ms),
            (self.tokens_per_second, other.tokens_per_second),
        ):
            mine[:] = map(add, mine, theirs)


class Health:
    """Of one process. What it counted in the last seconds before its end is lost."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[UUID, datetime], _Counts] = {}
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def count(self, offer_id: UUID, outcome: ChatOutcome) -> None:
        minute = datetime.now(UTC).replace(second=0, microsecond=0)
        with self._lock:
            self._counts.setdefault((offer_id, minute), _Counts()).add(outcome)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="health", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._wake.wait(WRITE_SECONDS)
            try:
                self.write()
            except (psycopg.Error, RuntimeError) as error:  # RuntimeError: the database is closed
                logger.info("health not written", why=type(error).__name__)

    def write(self) -> None:
        """Add what was counted to the table; what cannot be written now is written later."""
        with self._lock:
            counted, self._counts = self._counts, {}
        if not counted:
            return
        try:
            with db.transaction() as tx:
                health_store.add(tx, [_minute(*of, counts) for of, counts in counted.items()])
        except BaseException:
            self._put_back(counted)
            raise

    def _put_back(self, counted: dict[tuple[UUID, datetime], _Counts]) -> None:
        with self._lock:
            for of, counts in counted.items():
                self._counts.setdefault(of, _Counts()).add_all(counts)


def _minute(offer_id: UUID, minute: datetime, counts: _Counts) -> Minute:
    return Minute(
        offer_id,
        minute,
        counts.requests,
        counts.failed,
        counts.aborted,
        counts.first_token_ms,
        counts.tokens_per_second,
        counts.tokens,
    )


def measured(reader: Reader, offers: Sequence[UUID]) -> dict[UUID, OfferMeasurements]:
    totals = health_store.of_minutes(reader, offers, CHOICE_SECONDS)
    return {
        offer_id: OfferMeasurements(
            total.requests,
            total.failed,
            _first_token_ms(total, 0.5),
            _speed(total),
            total.tokens / total.requests if total.requests else None,
        )
        for offer_id in offers
        for total in [totals.get(offer_id, NOTHING)]
    }


def windows(reader: Reader, offer_id: UUID) -> list[dict[str, Any]]:
    """The health of an offer as everybody sees it; null below 20 requests."""
    short = [
        {"window": name, **_published(totals.get(offer_id, NOTHING))}
        for name, seconds in _MINUTES.items()
        for totals in [health_store.of_minutes(reader, [offer_id], seconds)]
    ]
    return [*short, {"window": LONGEST, **of_month(reader, [offer_id])[offer_id]}]


def of_month(reader: Reader, offers: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    """The longest window of each of these offers."""
    totals = health_store.of_days(reader, offers)
    return {offer_id: _published(totals.get(offer_id, NOTHING)) for offer_id in offers}


def by_day(reader: Reader, offers: Sequence[UUID]) -> dict[date, dict[str, Any]]:
    """The same day by day, of all these offers together; days without a chat are left out."""
    totals = health_store.by_day(reader, offers)
    return {day: _published(total) for day, total in totals.items()}


def _published(total: Total) -> dict[str, Any]:
    if total.requests < LEAST_REQUESTS:
        hidden = {"error_rate": None, "first_token_ms": None, "tokens_per_second": None}
        return {"requests": total.requests, **hidden}
    times = {"p50": _first_token_ms(total, 0.5), "p99": _first_token_ms(total, 0.99)}
    speed = _speed(total)
    return {
        "requests": total.requests,
        "error_rate": round(total.failed / total.requests, 4),
        "first_token_ms": None if times["p50"] is None else times,
        "tokens_per_second": None if speed is None else {"p50": speed},
    }


def _first_token_ms(total: Total, share: float) -> int | None:
    found = histogram.quantile(total.first_token_ms, share, histogram.FIRST_TOKEN_MS)
    return None if found is None else round(found)


def _speed(total: Total) -> float | None:
    found = histogram.quantile(total.tokens_per_second, 0.5, histogram.TOKENS_PER_SECOND)
    return None if found is None else round(found, 1)
