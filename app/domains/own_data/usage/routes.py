"""/v1/usage: what the account did and spent, and how much it may."""

from typing import Any

from app.core import db
from app.core.http import Blueprint, account_only, caller, current_settings
from app.core.http.fields import RowView
from app.domains.own_data.usage import presentation, schemas, service

usage = Blueprint(
    "usage",
    __name__,
    url_prefix="/v1/usage",
    description="Usage and spending of the account by day, API key or kind.",
)


@usage.get("", operation="getUsage")
@account_only
@usage.arguments(schemas.UsageIn, location="query")
@usage.response(200, schemas.UsageReportOut)
def show(query: dict[str, Any]) -> RowView:
    """Get recent usage, spending and limits of the account.

    Counts by `day` or `kind` cover RETENTION_DAYS, spending covers all days. Usage by `key` is
    based on requests and covers REQUESTS_KEPT_DAYS; its spending includes chats only.
    """
    settings = current_settings()
    account_id, group = caller().account_id, query["group"]
    with db.reading() as reader:
        period = service.Period.recent(query["days"])
        found = service.REPORTS[group](reader, account_id, period, settings)
        limits = service.limits(reader, account_id, settings)
    return presentation.report(group, found, limits)
