"""The operator's commands for what nodes will do: offers, and the editions they may serve."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

import click

from app.core import db
from app.core.amounts import counted
from app.core.db import Tx
from app.core.errors import MalformedJson
from app.core.http.request_parser import loads
from app.domains.account.accounts.service import AccountNotFound, account_by_email
from app.domains.providers.providers import offer_rules, saved_offers, store
from app.domains.providers.providers.saved_offers import SaveOutcome
from app.local.commands.operator_command import json_option, operating

MOST_PROBLEMS = 20


@click.group("offers")
def offers_group() -> None:
    """Manage saved offers."""


@offers_group.command("import")
@click.argument("file", type=click.File("r", encoding="utf-8"))
@operating
def import_offers(file: TextIO) -> None:
    """Save the offers in FILE, one JSON object per line; "-" reads stdin. Saves all or none.

    Fields: account (e-mail), device_id, model, model_revision, rates {input, output}, public_name;
    optional serving, auto_eligible, max_context, precision, in_flight, capacity, seen_at.
    New offers are unpublished. Existing offers are updated: a new rate creates a pricing revision,
    and the public name does not change.
    """
    lines = [(number, line) for number, line in enumerate(file, 1) if line.strip()]
    parsed, problems = [], []
    for number, line in lines:
        try:
            parsed.append((number, *_parse(line)))
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if not problems:
        with db.transaction() as tx:
            outcomes = list(_save(tx, parsed, problems))
            if problems:
                raise _refused(problems)
    if problems:
        raise _refused(problems)
    made = sum(outcome.created for outcome in outcomes)
    priced = sum(outcome.priced and not outcome.created for outcome in outcomes)
    click.echo(
        f"{counted(made, 'offer')} made, {len(outcomes) - made} there before,"
        f" {priced} at a new price."
    )


def _parse(line: str) -> tuple[str, offer_rules.OfferFields]:
    """The e-mail of the account, and the offer. ValueError."""
    try:
        entry = loads(line.encode())
    except (MalformedJson, UnicodeEncodeError):
        raise ValueError("Not a JSON object.") from None
    if not isinstance(entry, dict):
        raise ValueError("Not a JSON object.")
    email = entry.pop("account", None)
    if not isinstance(email, str):
        raise ValueError("account: Must be the e-mail of an account.")
    return email, offer_rules.parse(entry)


def _save(
    tx: Tx, parsed: list[tuple[int, str, offer_rules.OfferFields]], problems: list[str]
) -> Iterator[SaveOutcome]:
    known: dict[str, Any] = {}
    for number, email, offer in parsed:
        if email not in known:
            try:
                known[email] = account_by_email(tx, email).id
            except AccountNotFound:
                known[email] = None
        if known[email] is None:
            problems.append(f"line {number}: account: No account has this e-mail.")
        else:
            yield saved_offers.save_offer(tx, known[email], offer)


def _refused(problems: list[str]) -> click.ClickException:
    shown = problems[:MOST_PROBLEMS]
    if rest := len(problems) - len(shown):
        shown.append(f"and {rest} more")
    return click.ClickException("No offers saved.\n  " + "\n  ".join(shown))


@click.group("editions")
def editions_group() -> None:
    """Manage known model revisions. Offers with other revisions need review."""


@editions_group.command("enable")
@click.argument("model")
@click.argument("revision")
@operating
def enable(model: str, revision: str) -> None:
    """Enable a revision. Its offers need no review."""
    with db.transaction() as tx:
        new = saved_offers.enable_edition(tx, model, revision)
    click.echo(f"{model} {revision}: {'enabled' if new else 'already enabled'}.")


@editions_group.command("disable")
@click.argument("model")
@click.argument("revision")
@operating
def disable(model: str, revision: str) -> None:
    """Disable a revision. Its offers need review."""
    with db.transaction() as tx:
        known = saved_offers.disable_edition(tx, model, revision)
    click.echo(f"{model} {revision}: {'disabled' if known else 'was not enabled'}.")


@editions_group.command("list")
@json_option
@operating
def show(as_json: bool) -> None:
    """List enabled revisions."""
    with db.reading() as reader:
        found = store.editions(reader)
    if as_json:
        click.echo(
            json.dumps([{"model": model, "revision": revision} for model, revision in found])
        )
        return
    if not found:
        click.echo(
            "No enabled revisions. Run: citegrid-server editions enable MODEL REVISION", err=True
        )
    for model, revision in found:
        click.echo(f"{model}  {revision}")
