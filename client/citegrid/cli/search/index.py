"""`citegrid index`: a folder, or a site, into a corpus of your own."""

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from citegrid.cli.command import Session, command, end
from citegrid.cli.exits import Exit
from citegrid.cli.search.corpora import found
from citegrid.cli.terminal import line
from citegrid.cli.wait import timeout_option
from citegrid.counts import counted
from citegrid.nouns.search.corpora import Corpus, Document, FolderUpload
from citegrid.nouns.search.sites import Site, SiteDetail

_WEB: Final = ("http://", "https://")
_REFRESH: Final = ("hourly", "daily", "weekly")


@command("index")
@click.argument("target", metavar="FOLDER|URL")
@click.option("--name", help="Corpus name. Default: the name of the folder, or the host.")
@click.option("--prune", is_flag=True, help="Delete documents that are no longer in the folder.")
@click.option("--sitemap", is_flag=True, help="URL is a sitemap or a feed that lists the pages.")
@click.option(
    "--max-pages", type=click.IntRange(1, 10_000), help="Page limit of a site. Default: 1,000."
)
@click.option(
    "--include", multiple=True, metavar="PATH", help="Only paths with this prefix. Repeatable."
)
@click.option(
    "--exclude", multiple=True, metavar="PATH", help="No paths with this prefix. Repeatable."
)
@click.option("--refresh", type=click.Choice(_REFRESH), help="How often to read a site again.")
@timeout_option
def index(
    session: Session, target: str, name: str | None, prune: bool, timeout: float | None, **site: Any
) -> None:
    """Upload a folder into a corpus, or have the server read a site into it.

    Waits until the documents can be searched. Repeat it to add what is new or has changed, or to
    continue after an interruption. Exits with 6 if a document is refused or cannot be read, or if
    no page of a site can be read.
    """
    if target.startswith(_WEB):
        if prune:
            raise click.UsageError("--prune is for folders: of a site, pages that are gone go.")
        _index_site(session, target, name or _host(target), site, timeout)
    elif any(site.values()):
        raise click.UsageError("FOLDER takes none of the options of a site.")
    else:
        _index_folder(session, Path(target), name, prune, timeout)


def _host(url: str) -> str:
    """With its port, and without a password that the address may have."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        raise click.UsageError(f"{url} is no http or https address.") from None


def _corpus(session: Session, name: str) -> Corpus:
    return found(session, name) or session.client.corpora.create(name)


def _index_folder(
    session: Session, folder: Path, name: str | None, prune: bool, timeout: float | None
) -> None:
    corpus = _corpus(session, name or folder.resolve().name) if folder.is_dir() else None
    if corpus is None:
        raise click.UsageError(f"There is no folder {folder}, and it is no http or https address.")
    uploads = _uploads(session, corpus, folder, prune, timeout)
    lacking = [x for x in session.client.corpora.iterate_documents(corpus.id) if x.reason]
    _report(session, corpus, uploads, lacking)
    refused = any(upload.outcome == "refused" for upload in uploads)
    failed = any(document.state == "failed" for document in lacking)
    end(Exit.WEAK if refused or failed else Exit.DONE)


def _uploads(
    session: Session, corpus: Corpus, folder: Path, prune: bool, timeout: float | None
) -> list[FolderUpload]:
    """Uploads each file, and returns when the corpus has been read."""
    uploads = []
    with session.terminal.progress("Uploading") as report:
        for upload in session.client.corpora.upload_folder(corpus.id, folder, prune=prune):
            uploads.append(upload)
            report(f"Uploading: {upload.n} of {upload.total}, {upload.key}")
        report("Reading")
        session.client.corpora.wait(corpus.id, timeout=timeout)
    return uploads


def _report(
    session: Session,
    corpus: Corpus,
    uploads: Sequence[FolderUpload],
    lacking: Sequence[Document],
) -> None:
    """`lacking` are documents that could not be read, or not all of their pages."""
    counts = Counter(upload.outcome for upload in uploads)
    refused = [upload for upload in uploads if upload.outcome == "refused"]
    failed = [document for document in lacking if document.state == "failed"]
    partial = [document for document in lacking if document.state == "ready"]
    if session.terminal.as_json:
        told = {"corpus": corpus, "uploads": uploads, "failed": failed, "partial": partial}
        session.terminal.json(told)
        return
    session.terminal.text(
        f"{corpus.name}: {counts['uploaded']} uploaded, {counts['unchanged']} unchanged, "
        f"{len(refused)} refused, {len(failed)} failed"
        + (f", {counts['deleted']} deleted" if counts["deleted"] else "")
    )
    reasons = [(x.key, x.reason) for x in refused] + [(x.key, x.reason) for x in failed]
    reasons += [(x.key, f"some pages are left out, {x.reason}") for x in partial]
    for key, reason in reasons:
        session.terminal.text(f"{line(key)}: {line(reason or '')}", indent="    ")
    _suggest(session, corpus)


def _suggest(session: Session, corpus: Corpus) -> None:
    session.terminal.suggest(f'citegrid ask --in {shlex.quote(corpus.name)} "A question"')


def _index_site(
    session: Session, url: str, name: str, options: dict[str, Any], timeout: float | None
) -> None:
    corpus = _corpus(session, name)
    begun = _begun(session, corpus, url, options)
    with session.terminal.progress("Reading") as report:
        for site in session.client.sites.watch(corpus.id, begun.id, timeout=timeout):
            report(f"Reading: {counted(site.pages, 'page')}, {site.waiting:,} to go")
    _report_site(session, corpus, site)
    end(Exit.DONE if site.pages else Exit.WEAK)


def _begun(session: Session, corpus: Corpus, url: str, options: dict[str, Any]) -> Site:
    wanted = url.partition("#")[0].rstrip("/")
    for site in session.client.sites.list(corpus.id):
        if site.url.rstrip("/") == wanted:
            return session.client.sites.refresh(corpus.id, site.id)
    return session.client.sites.create(
        corpus.id,
        url,
        kind="sitemap" if options["sitemap"] else None,
        max_pages=options["max_pages"],
        include_paths=options["include"] or None,
        exclude_paths=options["exclude"] or None,
        refresh=options["refresh"],
    )


def _report_site(session: Session, corpus: Corpus, site: SiteDetail) -> None:
    if session.terminal.as_json:
        session.terminal.json({"corpus": corpus, "site": site})
        return
    stopped = f", stopped: {site.reason}" if site.reason else ""
    session.terminal.text(
        f"{corpus.name}: {counted(site.pages, 'page')}, {site.failed} failed{stopped}"
    )
    for page in site.failures:
        session.terminal.text(f"{line(page.url)}: {line(page.reason)}", indent="    ")
    if site.pages:
        _suggest(session, corpus)
