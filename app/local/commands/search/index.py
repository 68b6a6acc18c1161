"""The operator's commands for the index."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import click

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Reader
from app.domains.account.audit.service import record_event
from app.domains.library.corpora import service as corpora
from app.domains.library.passages import changes
from app.domains.library.passages.rebuild import due, promise, unfinished_job
from app.domains.queue.jobs import store
from app.domains.queue.jobs.store import Job
from app.local.commands.operator_command import json_option, operating
from app.local.commands.search.progress import show_progress, summary
from app.local.work import wait_for

_AGAIN = """\
Failed pages:   citegrid-server index failures {name}
Try again:      citegrid-server index refresh {name}
Free the name:  citegrid-server index remove {name}"""


@click.group("index")
def index_group() -> None:
    """Manage corpora, the indexed sites and folders."""


@index_group.command("add")
@click.argument("name")
@click.argument("location")
@click.option("--kind", type=click.Choice(["site", "sitemap", "folder"]), help="Default: detected.")
@click.option("--base-url", help="Public base address of the files in a folder.")
@click.option(
    "--max-pages",
    type=click.IntRange(1, 100_000),
    default=2000,
    show_default=True,
    help="Page limit.",
)
@click.option("--include", multiple=True, help="Path prefix or glob to read. Repeatable.")
@click.option("--exclude", multiple=True, help="Path prefix or glob to skip. Repeatable.")
@click.option(
    "--every",
    "every_seconds",
    type=click.IntRange(60),
    metavar="SECONDS",
    help="Seconds between refreshes. Default: no refresh.",
)
@click.option("--no-wait", is_flag=True, help="Return immediately; a worker continues.")
@operating
def add(name: str, location: str, **chosen: Any) -> None:
    """Index a site, a sitemap or a folder."""
    kind = chosen["kind"] or guess_kind(location)
    where = str(Path(location).absolute()) if kind == "folder" else location
    options = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in chosen.items()
        if key in ("base_url", "max_pages", "include", "exclude") and value
    }
    with db.transaction() as tx:
        corpora.add(tx, name, kind, where, options, refresh_every_seconds=chosen["every_seconds"])
    try:
        _refresh(name, wait=not chosen["no_wait"])
    except click.ClickException as failed:
        raise click.ClickException(f"{failed.message}\n{_AGAIN.format(name=name)}") from None


def guess_kind(location: str) -> str:
    """A URL is a site, or a sitemap if it ends like one; everything else is a folder."""
    try:
        parts = urlsplit(location)
    except ValueError:  # no address, which is said when it is added
        return "site"
    if parts.scheme not in ("http", "https"):
        return "folder"
    return "sitemap" if parts.path.endswith((".xml", ".xml.gz")) else "site"


@index_group.command("refresh")
@click.argument("name")
@click.option("--no-wait", is_flag=True, help="Return immediately; a worker continues.")
@operating
def refresh(name: str, no_wait: bool) -> None:
    """Refresh a corpus: read changed pages and drop removed ones."""
    _refresh(name, wait=not no_wait)


def _refresh(name: str, *, wait: bool) -> None:
    with db.transaction() as tx:
        corpora.refresh(tx, name)
    if not wait:
        click.echo(f"{name}: refresh queued. Check `citegrid-server index list`.")
        return
    done = wait_for(partial(corpora.last_refresh, name=name), show_progress)
    if done.state != "succeeded":
        raise click.ClickException(f"{name}: {(done.error or {}).get('message', done.state)}")
    click.echo(f"{name}: {summary(done)}")


@index_group.command("rebuild")
@click.option("--remote", is_flag=True, help="Rebuild the index at INDEX_URL from Postgres.")
@click.option("--no-wait", is_flag=True, help="Return immediately; a worker continues.")
@operating
@click.pass_obj
def rebuild(settings: Settings, remote: bool, no_wait: bool) -> None:
    """Rebuild the index, for example after an upgrade that changes text analysis.

    Fetches no pages. Searches keep working.
    """
    if remote and not settings.index_url:
        raise click.ClickException("INDEX_URL is not set.")
    with db.transaction() as tx:
        job_id = changes.rebuild(tx) if remote else promise(tx)
        record_event(tx, "index.rebuild_requested", "remote" if remote else None)
    if no_wait:
        click.echo("Rebuild queued.")
        return
    work = changes.rebuild_job if remote else unfinished_job
    done = wait_for(_rebuilding(job_id, work), show_progress)
    if done.state != "succeeded":
        raise click.ClickException((done.error or {}).get("message", done.state))
    click.echo("Index rebuilt.")


def _rebuilding(
    job_id: UUID, work: Callable[[Reader], Job | None]
) -> Callable[[Reader], Job | None]:
    """Looks at whichever job is at the rebuild that began with this one."""
    latest = job_id

    def look(reader: Reader) -> Job | None:
        nonlocal latest
        job = work(reader)
        latest = job.id if job else latest
        return job or store.by_id(reader, latest)

    return look


@index_group.command("detach")
@operating
def detach() -> None:
    """Stop using the index at INDEX_URL and discard its pending changes. Postgres takes over."""
    with db.transaction() as tx:
        changes.detach(tx)
        record_event(tx, "index.detached")
    click.echo("Index detached. The data at INDEX_URL is unchanged.")


@index_group.command("remove")
@click.argument("name")
@operating
def remove(name: str) -> None:
    """Remove a corpus from the index. Answers that cite it keep their stored pages."""
    gone = False
    while not gone:
        with db.transaction() as tx:
            gone = corpora.remove(tx, name)
    click.echo(f"{name}: removed.")


@index_group.command("list")
@json_option
@operating
def show_index(as_json: bool) -> None:
    """List corpora with their contents and last refresh."""
    with db.reading() as reader:
        found = [_corpus(listed) for listed in corpora.listing(reader, corpora.counts(reader))]
        stale = due(reader)
    if stale:
        click.echo("The index has an old version. Run: citegrid-server index rebuild", err=True)
    if as_json:
        click.echo(json.dumps(found))
        return
    if not found:
        click.echo("No corpora yet. Run: citegrid-server index add NAME LOCATION", err=True)
    for row in found:
        click.echo(
            f"{row['name']:<24} {row['kind']:<8} {row['pages']:>6} pages {row['passages']:>7} "
            f"passages {row['failed']:>5} failed  {row['refresh']:<10} {row['location']}"
        )


def _corpus(listed: corpora.CorpusSummary) -> dict[str, Any]:
    refreshed = listed.corpus.refreshed_at
    return {
        "name": listed.corpus.name,
        "kind": listed.corpus.kind,
        "location": listed.corpus.location,
        "pages": listed.pages,
        "passages": listed.passages,
        "failed": listed.failed,
        "refresh": listed.refresh.state if listed.refresh else "never",
        "refreshed_at": refreshed.isoformat() if refreshed else None,
    }


@index_group.command("failures")
@click.argument("name")
@operating
def show_failures(name: str) -> None:
    """List failed pages of a corpus with reasons."""
    with db.transaction() as tx:
        failed = corpora.failures(tx, name)
    for failure in failed:
        click.echo(f"{failure.outcome:<24} {failure.url}")
    if not failed:
        click.echo("No failed pages.", err=True)
