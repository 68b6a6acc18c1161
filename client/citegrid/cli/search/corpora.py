"""`citegrid index` and `citegrid corpora`: sources of your own."""

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from citegrid.cli.command import (
    Session,
    command,
    cursor_option,
    end,
    group,
    limit_option,
    yes_option,
)
from citegrid.cli.exits import Exit
from citegrid.cli.search.metadata import assignments
from citegrid.cli.search.searches import timeout_option
from citegrid.cli.terminal import line
from citegrid.nouns.search.corpora import Corpus, Document, FolderUpload

STATES = ("waiting", "ready", "failed")

name_argument = click.argument("name", metavar="NAME")
key_argument = click.argument("key", metavar="KEY")


@command("index")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--name", help="Corpus name. Default: the name of the folder.")
@timeout_option
def index(session: Session, folder: Path, name: str | None, timeout: float | None) -> None:
    """Upload the documents of FOLDER into a corpus and wait until they can be searched.

    Repeat it to upload what is new or has changed, or to continue after an interruption. Exits
    with 6 if a document is refused or cannot be read.
    """
    name = name or folder.resolve().name
    corpus = _found(session, name) or session.client.corpora.create(name)
    uploads = _uploads(session, corpus, folder, timeout)
    failed = list(session.client.corpora.iterate_documents(corpus.id, state="failed"))
    _report(session, corpus, uploads, failed)
    refused = any(upload.outcome == "refused" for upload in uploads)
    end(Exit.WEAK if refused or failed else Exit.DONE)


def _uploads(
    session: Session, corpus: Corpus, folder: Path, timeout: float | None
) -> list[FolderUpload]:
    """Uploads each file, and returns when the corpus has been read."""
    uploads = []
    with session.terminal.progress("Uploading") as report:
        for upload in session.client.corpora.upload_folder(corpus.id, folder):
            uploads.append(upload)
            report(f"Uploading: {upload.n} of {upload.total}, {upload.key}")
        report("Reading")
        session.client.corpora.wait(corpus.id, timeout=timeout)
    return uploads


def _report(
    session: Session,
    corpus: Corpus,
    uploads: Sequence[FolderUpload],
    failed: Sequence[Document],
) -> None:
    counts = Counter(upload.outcome for upload in uploads)
    refused = [upload for upload in uploads if upload.outcome == "refused"]
    if session.terminal.as_json:
        found = {"corpus": corpus, "uploads": uploads, "failed": failed}
        session.terminal.json(found)
        return
    session.terminal.text(
        f"{corpus.name}: {counts['uploaded']} uploaded, {counts['unchanged']} unchanged, "
        f"{len(refused)} refused, {len(failed)} failed"
    )
    reasons = [(x.key, x.reason) for x in refused] + [(x.key, x.reason) for x in failed]
    for key, reason in reasons:
        session.terminal.text(f"{line(key)}: {line(reason or '')}", indent="    ")
    session.terminal.say(f'try:  citegrid ask --in {shlex.quote(corpus.name)} "A question"')


@group("corpora")
def corpora_group() -> None:
    """Manage your corpora: documents that your searches can use."""


@corpora_group.command("list")
@limit_option
@cursor_option
def list_corpora(session: Session, limit: int, cursor: str | None) -> None:
    """Print your corpora, newest first."""
    page = session.client.corpora.list(limit=limit, cursor=cursor)
    rows = [(x.id, line(x.name), x.documents, x.waiting, x.failed, x.bytes) for x in page]
    names = ("ID", "NAME", "DOCUMENTS", "WAITING", "FAILED", "BYTES")
    session.terminal.page(page, names, rows, "corpora list")


@corpora_group.command("create")
@name_argument
def create(session: Session, name: str) -> None:
    """Create a corpus and print its id."""
    corpus = session.client.corpora.create(name)
    session.terminal.result(corpus, corpus.id, whole=True)


@corpora_group.command("rename")
@name_argument
@click.argument("new_name", metavar="NEW_NAME")
def rename(session: Session, name: str, new_name: str) -> None:
    """Rename a corpus."""
    corpus = session.client.corpora.update(_named(session, name).id, name=new_name)
    session.terminal.result(corpus, f"{corpus.id} {line(corpus.name)}", whole=True)


@corpora_group.command("delete")
@name_argument
@yes_option
def delete(session: Session, name: str, yes: bool) -> None:
    """Delete a corpus with its documents. Answers keep their quotes."""
    corpus = _named(session, name)
    session.confirm(f"Delete {corpus.name} with its documents?", yes)
    session.client.corpora.delete(corpus.id)
    _deleted(session, corpus.id)


@corpora_group.command("documents")
@name_argument
@click.option("--state", type=click.Choice(STATES))
@limit_option
@cursor_option
def documents(session: Session, name: str, state: Any, limit: int, cursor: str | None) -> None:
    """Print the documents of a corpus with their states."""
    corpus = _named(session, name)
    page = session.client.corpora.list_documents(corpus.id, state=state, limit=limit, cursor=cursor)
    rows = [(line(each.key), each.state, each.reason or "") for each in page]
    session.terminal.page(page, ("KEY", "STATE", "REASON"), rows, f"corpora documents {name}")


@corpora_group.command("describe")
@name_argument
@key_argument
@click.argument("metadata", metavar="[FIELD=VALUE]...", nargs=-1, callback=assignments)
def describe(session: Session, name: str, key: str, metadata: dict[str, Any]) -> None:
    """Set the metadata of a document, for `citegrid ask --where`; it replaces what is there."""
    corpus = _named(session, name)
    document = session.client.corpora.update_document(corpus.id, key, metadata=metadata)
    fields = " ".join(f"{field}={json.dumps(value)}" for field, value in document.metadata.items())
    session.terminal.result(document, f"{line(key)} {line(fields)}".rstrip(), whole=True)


@corpora_group.command("remove")
@name_argument
@key_argument
@yes_option
def remove(session: Session, name: str, key: str, yes: bool) -> None:
    """Delete a document. Answers keep their quotes."""
    corpus = _named(session, name)
    session.confirm(f"Delete {key} of {corpus.name}?", yes)
    session.client.corpora.delete_document(corpus.id, key)
    _deleted(session, key)


def _deleted(session: Session, what: str) -> None:
    session.terminal.say(f"deleted {what}")
    if session.terminal.as_json:
        session.terminal.json({"deleted": what})


def _named(session: Session, name: str) -> Corpus:
    """The corpus of that name or id; ends the command if there is none."""
    corpus = _found(session, name)
    if corpus is None:
        session.terminal.problem(
            f"You have no corpus {name}.", "citegrid corpora list", code="corpus_not_found"
        )
        raise click.exceptions.Exit(Exit.NOT_FOUND)
    return corpus


def _found(session: Session, name: str) -> Corpus | None:
    return next((x for x in session.client.corpora.iterate() if name in (x.name, x.id)), None)
