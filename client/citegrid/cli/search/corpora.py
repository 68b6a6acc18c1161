"""`citegrid corpora`: documents of your own, and sites that are read into them."""

import json
from typing import Any

import click

from citegrid.cli.command import Session, group, page_options, yes_option
from citegrid.cli.exits import Exit
from citegrid.cli.search.metadata import assignments
from citegrid.cli.terminal import line
from citegrid.nouns.search.corpora import Corpus

STATES = ("waiting", "ready", "failed")

name_argument = click.argument("name", metavar="NAME")
key_argument = click.argument("key", metavar="KEY")


@group("corpora")
def corpora_group() -> None:
    """Manage your corpora: documents that your searches can use."""


@corpora_group.command("list")
@page_options
def list_corpora(session: Session, **paging: Any) -> None:
    """Print your corpora, newest first."""
    page = session.client.corpora.list(**paging)
    rows = [(x.id, line(x.name), x.documents, x.waiting, x.failed, x.bytes) for x in page]
    names = ("ID", "NAME", "DOCUMENTS", "WAITING", "FAILED", "BYTES")
    session.terminal.page(page, names, rows)


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
    corpus = session.client.corpora.update(named(session, name).id, name=new_name)
    session.terminal.result(corpus, f"{corpus.id} {line(corpus.name)}", whole=True)


@corpora_group.command("delete")
@name_argument
@yes_option
def delete(session: Session, name: str, yes: bool) -> None:
    """Delete a corpus with its documents. Answers keep their quotes."""
    corpus = named(session, name)
    session.confirm(f"Delete {corpus.name} with its documents?", yes)
    session.client.corpora.delete(corpus.id)
    session.terminal.deleted(corpus.id)


@corpora_group.command("documents")
@name_argument
@click.option("--state", type=click.Choice(STATES), help="Only documents in this state.")
@page_options
def documents(session: Session, name: str, state: Any, **paging: Any) -> None:
    """Print the documents of a corpus with their states."""
    corpus = named(session, name)
    page = session.client.corpora.list_documents(corpus.id, state=state, **paging)
    rows = [(line(each.key), each.state, each.reason or "") for each in page]
    session.terminal.page(page, ("KEY", "STATE", "REASON"), rows)


@corpora_group.command("describe")
@name_argument
@key_argument
@click.argument("metadata", metavar="[FIELD=VALUE]...", nargs=-1, callback=assignments)
def describe(session: Session, name: str, key: str, metadata: dict[str, Any]) -> None:
    """Replace the metadata of a document, for `citegrid ask --where`."""
    corpus = named(session, name)
    document = session.client.corpora.update_document(corpus.id, key, metadata=metadata)
    fields = " ".join(f"{field}={json.dumps(value)}" for field, value in document.metadata.items())
    session.terminal.result(document, f"{line(key)} {line(fields)}".rstrip(), whole=True)


@corpora_group.command("remove")
@name_argument
@key_argument
@yes_option
def remove(session: Session, name: str, key: str, yes: bool) -> None:
    """Delete a document. Answers keep their quotes."""
    corpus = named(session, name)
    session.confirm(f"Delete {key} of {corpus.name}?", yes)
    session.client.corpora.delete_document(corpus.id, key)
    session.terminal.deleted(key)


@corpora_group.command("sites")
@name_argument
def sites(session: Session, name: str) -> None:
    """Print the sites that are read into a corpus."""
    every = session.client.sites.list(named(session, name).id)
    rows = [(x.id, line(x.url), x.state, x.pages, x.failed, x.refresh or "") for x in every]
    names = ("ID", "URL", "STATE", "PAGES", "FAILED", "REFRESH")
    session.terminal.listing({"sites": every}, names, rows)


@corpora_group.command("remove-site")
@name_argument
@click.argument("site_id", metavar="SITE")
@yes_option
def remove_site(session: Session, name: str, site_id: str, yes: bool) -> None:
    """Delete a site with its documents. Answers keep their quotes."""
    corpus = named(session, name)
    session.confirm(f"Delete {site_id} of {corpus.name} with its documents?", yes)
    session.client.sites.delete(corpus.id, site_id)
    session.terminal.deleted(site_id)


def named(session: Session, name: str) -> Corpus:
    """The corpus of that name or id; ends the command if there is none."""
    corpus = found(session, name)
    if corpus is None:
        session.terminal.problem(
            f"You have no corpus {name}.", "citegrid corpora list", code="corpus_not_found"
        )
        raise click.exceptions.Exit(Exit.NOT_FOUND)
    return corpus


def found(session: Session, name: str) -> Corpus | None:
    """The corpus of that name or id; the server keeps names without blanks around them."""
    wanted = name.strip()
    return next((x for x in session.client.corpora.iterate() if wanted in (x.name, x.id)), None)
