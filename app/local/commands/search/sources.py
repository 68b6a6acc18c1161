"""The operator's commands for sources: whom the quality score trusts, and whom it does not."""

import json

import click

from app.core import db
from app.domains.library.sources import service as sources
from app.domains.library.sources import store
from app.domains.library.sources.store import Verdict
from app.local.commands.operator_command import json_option, operating


@click.group("sources")
def sources_group() -> None:
    """Manage trusted and distrusted domains for the quality score. No pages are removed."""


@sources_group.command("allow")
@click.argument("domain", nargs=-1, required=True)
@operating
def allow(domain: tuple[str, ...]) -> None:
    """Trust a registrable domain such as example.org: its pages get full authority."""
    _judge(domain, "allow")


@sources_group.command("deny")
@click.argument("domain", nargs=-1, required=True)
@operating
def deny(domain: tuple[str, ...]) -> None:
    """Distrust a registrable domain: its pages get no authority and a score of at most 0.1."""
    _judge(domain, "deny")


def _judge(names: tuple[str, ...], verdict: Verdict) -> None:
    with db.transaction() as tx:
        judged = [sources.judge(tx, name, verdict) for name in names]
    for domain in judged:
        click.echo(f"{domain}: {verdict}")


@sources_group.command("forget")
@click.argument("domain", nargs=-1, required=True)
@operating
def forget(domain: tuple[str, ...]) -> None:
    """Remove a domain from its list."""
    with db.transaction() as tx:
        forgotten = [sources.forget(tx, name) for name in domain]
    for name in forgotten:
        click.echo(f"{name}: removed")


@sources_group.command("list")
@json_option
@operating
def show(as_json: bool) -> None:
    """List trusted and distrusted domains."""
    with db.reading() as reader:
        found = store.every(reader)
    if as_json:
        rows = [
            {"domain": x.domain, "verdict": x.verdict, "listed_at": x.listed_at.isoformat()}
            for x in found
        ]
        click.echo(json.dumps(rows))
        return
    if not found:
        click.echo("No listed domains. Run: citegrid-server sources allow DOMAIN", err=True)
    for listed in found:
        click.echo(f"{listed.verdict:<6} {listed.domain}")
