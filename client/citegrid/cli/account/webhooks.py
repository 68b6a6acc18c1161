"""`citegrid webhooks`: addresses of yours that are told what happens."""

from typing import Any

import click

from citegrid.cli.command import (
    Moment,
    Session,
    end,
    group,
    overlap_option,
    page_options,
    yes_option,
)
from citegrid.cli.exits import Exit
from citegrid.nouns.operations.webhooks import NewWebhook, Webhook


@group("webhooks")
def webhooks_group() -> None:
    """Preview: manage webhooks."""


@webhooks_group.command("add")
@click.argument("url")
@click.option(
    "--event",
    "events",
    multiple=True,
    metavar="TYPE",
    help="Event type, such as job.completed. Repeatable. Default: all.",
)
def add(session: Session, url: str, events: tuple[Any, ...]) -> None:
    """Add a webhook and print its signing secret once."""
    made = session.client.webhooks.create(url, events=events or None)
    _new(session, made)


def _new(session: Session, made: NewWebhook) -> None:
    session.terminal.result(made, f"{made.webhook.id}\t{made.secret}", whole=True)
    session.terminal.suggest(f"citegrid webhooks test {made.webhook.id}")


@webhooks_group.command("list")
@page_options
def list_webhooks(session: Session, **paging: Any) -> None:
    """Print your webhooks, newest first."""
    page = session.client.webhooks.list(**paging)
    rows = [(each.id, _state(each), ",".join(each.events), each.url) for each in page]
    session.terminal.page(page, ("ID", "STATE", "EVENTS", "URL"), rows)


def _state(webhook: Webhook) -> str:
    if not webhook.enabled:
        return f"disabled ({webhook.disabled_reason})"
    if webhook.paused_until is not None:
        return "paused"
    return "enabled" if webhook.failing_since is None else "failing"


@webhooks_group.command("update")
@click.argument("webhook_id")
@click.option("--url", help="New address.")
@click.option(
    "--event", "events", multiple=True, metavar="TYPE", help="New event type. Repeatable."
)
@click.option("--enable/--disable", "enabled", default=None, help="Enable or disable deliveries.")
def update(session: Session, webhook_id: str, **changes: Any) -> None:
    """Change the address or events, or enable or disable the webhook."""
    given = {name: value for name, value in changes.items() if value not in (None, ())}
    if not given:
        raise click.UsageError("No changes given.")
    webhook = session.client.webhooks.update(webhook_id, **given)
    session.terminal.result(webhook, f"{webhook.id} {_state(webhook)}")


@webhooks_group.command("remove")
@click.argument("webhook_id")
@yes_option
def remove(session: Session, webhook_id: str, yes: bool) -> None:
    """Delete a webhook and its delivery history."""
    session.confirm(f"Delete {webhook_id}?", yes)
    session.client.webhooks.delete(webhook_id)
    session.terminal.deleted(webhook_id)


@webhooks_group.command("roll")
@click.argument("webhook_id")
@overlap_option(most=24)
def roll(session: Session, webhook_id: str, overlap_hours: int) -> None:
    """Print a new secret. The previous secret also signs until the overlap ends."""
    made = session.client.webhooks.roll(webhook_id, overlap_hours=overlap_hours)
    _new(session, made)


@webhooks_group.command("test")
@click.argument("webhook_id")
def test(session: Session, webhook_id: str) -> None:
    """Send a test event and print its delivery id."""
    delivery = session.client.webhooks.test(webhook_id)
    session.terminal.result(delivery, delivery.id, whole=True)
    session.terminal.suggest(f"citegrid webhooks deliveries {webhook_id}")


@webhooks_group.command("deliveries")
@click.argument("webhook_id")
@click.option(
    "--status",
    type=click.Choice(["waiting", "delivered", "failed"]),
    help="Only deliveries with this status.",
)
@page_options
def deliveries(session: Session, webhook_id: str, status: Any, **paging: Any) -> None:
    """Print deliveries and responses of the last 30 days, newest first."""
    page = session.client.webhooks.deliveries(webhook_id, status=status, **paging)
    rows = [
        (
            each.id,
            each.type,
            each.status,
            f"{each.created_at:%Y-%m-%d %H:%M}",
            ",".join(str(attempt.status or attempt.error) for attempt in each.attempts) or "-",
        )
        for each in page
    ]
    session.terminal.page(page, ("ID", "EVENT", "STATUS", "CREATED", "ANSWERS"), rows)


@webhooks_group.command("redeliver")
@click.argument("webhook_id")
@click.argument("delivery_id", required=False)
@click.option(
    "--since",
    type=Moment(),
    metavar="2026-11-25",
    help="Date, or time with its zone. A date means the start of that day (UTC).",
)
def redeliver(session: Session, webhook_id: str, delivery_id: str | None, since: Any) -> None:
    """Redeliver one delivery, or all since a date.

    With --since, these are all that failed or wait for their next attempt.
    """
    if (delivery_id is None) == (since is None):
        raise click.UsageError("Give either DELIVERY_ID or --since.")
    if delivery_id is not None:
        session.client.webhooks.redeliver(webhook_id, delivery_id)
        return
    again = session.client.webhooks.redeliver_since(webhook_id, since)
    session.terminal.say(f"{again.redelivered} deliveries queued")
    end(Exit.TRY_LATER if again.has_more else Exit.DONE)
