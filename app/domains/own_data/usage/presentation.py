"""Usage as callers see it."""

from app.core.http.fields import RowView
from app.core.redis.limits import RatePolicy
from app.domains.own_data.usage.service import AccountLimits, PeriodLine, UsageReport


def report(group: str, found: UsageReport, limits: AccountLimits) -> RowView:
    return RowView(
        found,
        group=group,
        lines=[_line(line) for line in found.lines],
        total=_line(found.total),
        embedding_seconds=round(limits.holding.embedding_seconds, 3),
        limits={
            "read": _rate(limits.read),
            "write": _rate(limits.write),
            "waiting_jobs": {"now": limits.waiting_jobs, "most": limits.most_waiting_jobs},
            "documents": {"now": limits.holding.documents, "most": limits.quota.documents},
            "document_bytes": {"now": limits.holding.bytes, "most": limits.quota.bytes},
            "passages": {"now": limits.holding.passages, "most": limits.quota.passages},
            "uploads_per_hour": {"now": limits.holding.uploads, "most": limits.quota.uploads},
        },
    )


def _line(line: PeriodLine) -> RowView:
    return RowView(
        line,
        api_key=line.key if line.key and line.key.id else None,
        spent=[{"token": token, "amount": amount} for token, amount in line.spent.items()],
    )


def _rate(policy: RatePolicy) -> dict[str, int]:
    return {"requests": policy.quota, "seconds": policy.window}
