"""`citegrid alerts`: one message when something of yours crosses a threshold."""

from typing import Any, get_args

import click

from citegrid.cli.command import Session, group, page_options, yes_option
from citegrid.nouns.operations.alerts import Alert, AlertCondition


@group("alerts")
def alerts_group() -> None:
    """Preview: manage alerts about monitors, campaigns and queues."""


@alerts_group.command("add")
@click.argument("condition", type=click.Choice(get_args(AlertCondition)))
@click.argument("threshold", type=float, required=False)
@click.option("--monitor", metavar="ID", help="Monitor to watch.")
@click.option("--campaign", metavar="ID", help="Campaign to watch.")
@click.option("--queue", metavar="NAME", help="Queue to watch. For operators only.")
@click.option("--email", metavar="ADDRESS", help="Send e-mail, once the address is confirmed.")
@click.option("--webhook", metavar="ID", help="Send an event to one of your webhooks.")
def add(session: Session, condition: Any, threshold: float | None, **options: Any) -> None:
    """Create an alert and print its id and state.

    Name a monitor, a campaign or a queue, and an e-mail address or a webhook.

    \b
    condition     of a      THRESHOLD
    changed       monitor   percent by which a number changed; optional
    failing       monitor   runs in a row that could read no page
    ended         campaign  none
    budget_spent  campaign  percent
    waiting       queue     jobs
    oldest        queue     seconds that the oldest job has waited
    """
    alert = session.client.alerts.create(condition, threshold=threshold, **options)
    session.terminal.result(alert, f"{alert.id} {alert.state}")
    if alert.state == "unconfirmed":
        session.terminal.say(f"{alert.email} receives a message to confirm first.")


@alerts_group.command("list")
@page_options
def list_alerts(session: Session, **paging: Any) -> None:
    """Print your alerts, newest first."""
    page = session.client.alerts.list(**paging)
    rows = [(each.id, each.state, _about(each), _condition(each), _channel(each)) for each in page]
    columns = ("ID", "STATE", "ABOUT", "CONDITION", "SENT TO")
    session.terminal.page(page, columns, rows)


def _about(alert: Alert) -> str:
    return alert.monitor or alert.campaign or alert.queue or "-"


def _condition(alert: Alert) -> str:
    if alert.threshold is None:
        return alert.condition
    return f"{alert.condition} {alert.threshold:.15g}"  # all its digits: six are the default


def _channel(alert: Alert) -> str:
    return alert.email or alert.webhook or "-"


@alerts_group.command("remove")
@click.argument("alert_id")
@yes_option
def remove(session: Session, alert_id: str, yes: bool) -> None:
    """Delete an alert."""
    session.confirm(f"Delete {alert_id}?", yes)
    session.client.alerts.delete(alert_id)
    session.terminal.deleted(alert_id)
