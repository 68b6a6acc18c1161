"""`citegrid disputes`: records that were wrongly accepted, or wrongly rejected."""

from typing import Any

import click

from citegrid.cli.command import Session, group, page_options
from citegrid.nouns.campaigns.disputes import Dispute

CATEGORIES = ("not_found", "wrong_value", "irrelevant", "duplicate", "stale", "broken", "other")


@group("disputes")
def disputes_group() -> None:
    """Preview: dispute accepted records of campaigns and appeal rejected records of nodes."""


@disputes_group.command("open")
@click.argument("campaign_id")
@click.argument("record_id")
@click.argument("category", type=click.Choice(CATEGORIES))
@click.argument("reason")
def open_dispute(
    session: Session, campaign_id: str, record_id: str, category: Any, reason: str
) -> None:
    """Dispute an accepted record of your campaign. REASON needs at least 20 characters."""
    _one(session, session.client.disputes.open(campaign_id, record_id, category, reason))


@disputes_group.command("appeal")
@click.argument("record_id")
@click.argument("reason")
def appeal(session: Session, record_id: str, reason: str) -> None:
    """Appeal a rejected record of your nodes. REASON needs at least 20 characters."""
    _one(session, session.client.disputes.appeal(record_id, reason))


def _one(session: Session, dispute: Dispute) -> None:
    session.terminal.result(dispute, dispute.id, whole=True)
    if dispute.duplicate_of is not None:
        session.terminal.say(f"The record was rejected as a duplicate of {dispute.duplicate_of}.")
    session.terminal.say(f"Decision due by {dispute.ends_at:%Y-%m-%d %H:%M} UTC.")


@disputes_group.command("list")
@click.option("--campaign", "campaign_id", metavar="ID", help="Disputes of this campaign.")
@page_options
def list_disputes(session: Session, campaign_id: str | None, **paging: Any) -> None:
    """Print disputes and appeals of your nodes or of a campaign, newest first."""
    if campaign_id is None:
        page = session.client.disputes.list(**paging)
    else:
        page = session.client.disputes.of_campaign(campaign_id, **paging)
    rows = [
        (
            each.id,
            each.kind,
            each.status if each.decided_by is None else f"{each.status} by {each.decided_by}",
            each.record_id,
            each.category or (f"duplicate of {each.duplicate_of}" if each.duplicate_of else "-"),
            f"{each.opened_at:%Y-%m-%d %H:%M}",
        )
        for each in page.items
    ]
    names = ("ID", "KIND", "STATUS", "RECORD", "CATEGORY", "OPENED")
    session.terminal.page(page, names, rows)
