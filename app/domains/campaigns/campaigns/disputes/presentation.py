"""Disputes and appeals as both sides see them."""

from app.core.http.fields import RowView
from app.domains.campaigns.campaigns.disputes.store import Dispute


def dispute(row: Dispute) -> RowView:
    return RowView(row, record_version=row.version, status=row.state)
