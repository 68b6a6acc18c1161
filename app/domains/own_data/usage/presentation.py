"""What callers see of what they used."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from app.core import ids
from app.core.ids import Noun
from app.core.redis.limits import RatePolicy
from app.domains.own_data.usage.service import AccountLimits, PeriodLine, UsageReport
from app.domains.own_data.usage.store import OfKey


def report(group: str, found: UsageReport, limits: AccountLimits) -> dict[str, Any]:
    """The whole answer."""
    return {
        "group": group,
        "first_day": found.first_day,
        "last_day": found.last_day,
        "lines": [
            {"name": line.name, "api_key": _key(line.key), **_total(line)} for line in found.lines
        ],
        "total": _total(found.total),
        "limits": {
            "read": _rate(limits.read),
            "write": _rate(limits.write),
            "waiting_jobs": {"now": limits.waiting_jobs, "most": limits.most_waiting_jobs},
        },
    }


def _total(line: PeriodLine) -> dict[str, Any]:
    return {"counts": line.counts, "spent": _spent(line.spent)}


def _spent(amounts: Mapping[str, Decimal]) -> list[dict[str, Any]]:
    return [{"token": token, "amount": amount} for token, amount in amounts.items()]


def _key(key: OfKey | None) -> dict[str, Any] | None:
    if key is None or key.id is None:
        return None
    return {
        "id": ids.public(Noun.API_KEY, key.id),
        "name": key.name,
        "prefix": key.prefix,
        "last_four": key.last_four,
    }


def _rate(policy: RatePolicy) -> dict[str, int]:
    return {"requests": policy.quota, "seconds": policy.window}
