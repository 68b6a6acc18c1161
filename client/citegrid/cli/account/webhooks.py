"""`citegrid webhooks`: addresses of yours that are told what happens."""

from datetime import UTC, datetime
from typing import Any

import click

from citegrid.cli.command import Session, cursor_option, end, group, limit_option, yes_option
from citegrid.cli.exits import Exit
from citegrid.nouns.operations.webhooks import NewWebhook, Webhook


@group("webhooks")
def webhooks_group() -> None:
    """Preview: have addresses of yours told what happens."""


@webhooks_group.command("add")
@click.argument("url")
@click.option("--event", "events", multiple=True, metavar="TYPE", help="Only this; else all.")
def add(session: Session, url: str, events: tuple[Any, ...]) -> None:
    """Add an address; its secret is printed once."""
    with session.client() as client:
        made = client.webhooks.create(url, events=events or None)
    _new(session, made)


def _new(session: Session, made: NewWebhook) -> None:
    if session.terminal.as_json:
        session.terminal.json(made)
        return
    session.terminal.whole(f"{made.webhook.id}\t{made.secret}")
    session.terminal.say(f"try:  citegrid webhooks test {made.webhook.id}")


@webhooks_group.command("list")
@limit_option
@cursor_option
def list_webhooks(session: Session, limit: int, cursor: str | None) -> None:
    """Print your webhooks, newest first."""
    with session.client() as client:
        page = client.webhooks.list(limit=limit, cursor=cursor)
    rows = [(each.id, _state(each), ",".join(each.events), each.url) for each in page]
    session.terminal.page(page, ("ID", "STATE", "EVENTS", "URL"), rows, "webhooks list")


def _state(webhook: Webhook) -> str:
    if not webhook.enabled:
        return f"disabled ({webhook.disabled_reason})"
    if webhook.paused_until is not None:
        return "paused"
    return "enabled" if webhook.failing_since is None else "failing"


@webhooks_group.command("update")
@click.argument("webhook_id")
@click.option("--url", help="Another address.")
@click.option("--event", "events", multiple=True, metavar="TYPE", help="Other events.")
@click.option("--enable/--disable", "enabled", default=None, help="Whether anything is sent.")
def update(session: Session, webhook_id: str, **changes: Any) -> None:
    """Change the address or the events; disable it, or enable it again."""
    given = {name: value for name, value in changes.items() if value not in (None, ())}
    if not given:
        raise click.UsageError("Nothing to change.")
    with session.client() as client:
        webhook = client.webhooks.update(webhook_id, **given)
    session.terminal.result(webhook, f"{webhook.id} {_state(webhook)}")


@webhooks_group.command("remove")
@click.argument("webhook_id")
@yes_option
def remove(session: Session, webhook_id: str, yes: bool) -> None:
    """Remove an address and what is known of its deliveries."""
    session.confirm(f"Remove {webhook_id}?", yes)
    with session.client() as client:
        client.webhooks.delete(webhook_id)


@webhooks_group.command("roll")
@click.argument("webhook_id")
@click.option("--overlap-hours", type=click.IntRange(0, 24), default=24, show_default=True)
def roll(session: Session, webhook_id: str, overlap_hours: int) -> None:
    """Print a new secret; the former one signs as well for the overlap."""
    with session.client() as client:
        made = client.webhooks.roll(webhook_id, overlap_hours=overlap_hours)
    _new(session, made)


@webhooks_group.command("test")
@click.argument("webhook_id")
def test(session: Session, webhook_id: str) -> None:
    """Have a test event sent and print the id of its delivery."""
    with session.client() as client:
        delivery = client.webhooks.test(webhook_id)
    session.terminal.result(delivery, delivery.id, whole=True)
    session.terminal.say(f"try:  citegrid webhooks deliveries {webhook_id}")


@webhooks_group.command("deliveries")
@click.argument("webhook_id")
@click.option("--status", type=click.Choice(["waiting", "delivered", "failed"]))
@limit_option
@cursor_option
def deliveries(
    session: Session, webhook_id: str, status: Any, limit: int, cursor: str | None
) -> None:
    """Print what was sent in the last 30 days, newest first, and what was answered."""
    with session.client() as client:
        page = client.webhooks.deliveries(webhook_id, status=status, limit=limit, cursor=cursor)
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
    session.terminal.listing(page, ("ID", "EVENT", "STATUS", "CREATED", "ANSWERS"), rows)


@webhooks_group.command("redeliver")
@click.argument("webhook_id")
@click.argument("delivery_id", required=False)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"]),
    help="All that failed since then, in UTC.",
)
def redeliver(session: Session, webhook_id: str, delivery_id: str | None, since: Any) -> None:
    """Have one delivery sent again, or with --since all that failed."""
    if (delivery_id is None) == (since is None):
        raise click.UsageError("Takes either DELIVERY_ID or --since.")
    with session.client() as client:
        if delivery_id is not None:
            client.webhooks.redeliver(webhook_id, delivery_id)
            return
        again = client.webhooks.redeliver_since(webhook_id, _in_utc(since))
    session.terminal.say(f"{again.redelivered} are sent again")
    end(Exit.TRY_LATER if again.has_more else Exit.DONE)


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
