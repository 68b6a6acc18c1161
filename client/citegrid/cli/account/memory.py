"""`citegrid memory`: what a persona of yours is to remember."""

import shlex
from datetime import datetime
from typing import Any

import click

from citegrid.calls import UNSET
from citegrid.cli.command import Moment, Session, group, page_options, yes_option
from citegrid.nouns.search.memory import Memory, MemoryListed
from citegrid.transport.codec import as_json

TYPES = ("preference", "fact", "instruction", "event")
APPROVAL = "The server stores this text until you delete it. Continue?"

persona_argument = click.argument("persona", metavar="PERSONA")
type_option = click.option(
    "--type", "type_", type=click.Choice(TYPES), help="Only memories of this type."
)
tag_option = click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag. Repeatable.")
expires_option = click.option(
    "--expires",
    "expires_at",
    type=Moment(),
    metavar="2027-01-31",
    help="Date, or time with its zone. A date means the start of that day (UTC).",
)


@group("memory")
def memory_group() -> None:
    """Preview: manage the memory of your personas for searches."""


@memory_group.command("add")
@persona_argument
@click.argument("text")
@click.option(
    "--type",
    "type_",
    type=click.Choice(TYPES),
    default="fact",
    show_default=True,
    help="Type of the memory.",
)
@tag_option
@expires_option
@click.option("--supersedes", metavar="ID", help="Id of the memory to replace.")
@yes_option
def add(
    session: Session,
    persona: str,
    text: str,
    type_: Any,
    tags: tuple[str, ...],
    expires_at: datetime | None,
    supersedes: str | None,
    yes: bool,
) -> None:
    """Add TEXT to the memory of PERSONA, after confirmation or with --yes."""
    session.confirm(APPROVAL, yes)
    memory = session.client.memory.create(
        persona,
        type_,
        text,
        source="user_approved",
        tags=tags or None,
        supersedes=supersedes,
        expires_at=expires_at,
    )
    session.terminal.result(memory, memory.id, whole=True)
    session.terminal.suggest(f"citegrid ask --persona {shlex.quote(persona)} QUESTION")


@memory_group.command("list")
@persona_argument
@type_option
@click.option("--tag", metavar="TAG", help="Filter by tag.")
@click.option("--query", "question", metavar="TEXT", help="Search text; best matches first.")
@page_options
def list_memories(
    session: Session, persona: str, type_: Any, tag: str | None, question: str | None, **paging: Any
) -> None:
    """Print the memories of PERSONA, newest first."""
    page = session.client.memory.list(persona, type=type_, tag=tag, q=question, **paging)
    names = ("ID", "TYPE", "TAGS", "EXPIRES", "CONTENT")
    session.terminal.page(page, names, [_row(memory) for memory in page.items])


def _row(memory: MemoryListed | Memory) -> tuple[str, ...]:
    expires = f"{memory.expires_at:%Y-%m-%d}" if memory.expires_at else "-"
    content = " ".join(memory.content.split())
    return memory.id, memory.type, ",".join(memory.tags) or "-", expires, content


@memory_group.command("show")
@persona_argument
@click.argument("memory_id")
def show(session: Session, persona: str, memory_id: str) -> None:
    """Print a memory and its previous versions."""
    memory = session.client.memory.get(persona, memory_id)
    session.terminal.result(memory, memory.content)
    for former in () if session.terminal.as_json else memory.history:
        session.terminal.say(f"version {former.version}:  {former.content}")


@memory_group.command("update")
@persona_argument
@click.argument("memory_id")
@click.option("--text", help="New text.")
@tag_option
@yes_option
def update(
    session: Session,
    persona: str,
    memory_id: str,
    text: str | None,
    tags: tuple[str, ...],
    yes: bool,
) -> None:
    """Change the text or tags of a memory. Previous versions are kept."""
    session.confirm(APPROVAL, yes)
    memory = session.client.memory.update(
        persona,
        memory_id,
        content=UNSET if text is None else text,
        tags=tags or UNSET,
        source="user_approved",
    )
    if session.terminal.as_json:
        session.terminal.json(memory)
    else:
        session.terminal.say(f"version {memory.version}")


@memory_group.command("erase")
@persona_argument
@click.argument("memory_id", required=False)
@click.option("--all", "everything", is_flag=True, help="Delete all memories of PERSONA.")
@yes_option
def erase(
    session: Session, persona: str, memory_id: str | None, everything: bool, yes: bool
) -> None:
    """Permanently delete one memory, or with --all the persona."""
    if everything == (memory_id is not None):
        raise click.UsageError("Give a memory id or --all.")
    what = f"all memories of {persona}" if everything else str(memory_id)
    session.confirm(f"Permanently delete {what}?", yes)
    if memory_id is not None:
        session.client.memory.delete(persona, memory_id)
    else:
        session.client.memory.delete_persona(persona, confirm=persona)
    session.terminal.deleted(what)


@memory_group.command("export")
@persona_argument
def export(session: Session, persona: str) -> None:
    """Export all memories of PERSONA with their versions as JSON."""
    memories = session.client.memory.export(persona)
    session.terminal.json({"memory": as_json(memories)})
