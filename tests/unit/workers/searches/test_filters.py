"""What the options of a search let through."""

from datetime import UTC, datetime, timedelta

import pytest

from app.engine.search.interface import Filter
from workers.searches.filters import from_options, max_age


@pytest.mark.parametrize(
    ("freshness", "days"), [("24h", 1), ("7d", 7), ("2w", 14), ("3m", 90), ("1y", 365)]
)
def test_freshness_is_read_in_its_unit(freshness: str, days: int) -> None:
    assert max_age({"freshness": freshness}) == timedelta(days=days)


def test_without_freshness_any_age_will_do() -> None:
    assert max_age({}) is None


def test_without_options_everything_is_let_through() -> None:
    assert from_options({}) == Filter()


def test_domains_are_passed_on() -> None:
    where = from_options({"include_domains": ["a.org"], "exclude_domains": ["b.a.org"]})
    assert (where.include_domains, where.exclude_domains) == (("a.org",), ("b.a.org",))


def test_freshness_ends_now() -> None:
    after = from_options({"freshness": "7d"}).published_after
    assert after is not None
    assert timedelta(days=7) <= datetime.now(UTC) - after < timedelta(days=7, minutes=5)
