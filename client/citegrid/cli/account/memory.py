"""`citegrid memory`: what a persona of yours is to remember."""

from datetime import datetime
from typing import Any

import click

from citegrid.cli.command import Session, cursor_option, group, limit_option, yes_option
from citegrid.nouns.search.memory import Memory, MemoryListed
from citegrid.service import UNSET
from citegrid.transport.codec import as_json

TYPES = ("preference", "fact", "instruction", "event")
APPROVAL = "The server keeps this text until you erase it. Remember it?"

persona_argument = click.argument("persona", metavar="PERSONA")
type_option = click.option("--type", "type_", type=click.Choice(TYPES))
tag_option = click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be repeated.")
expires_option = click.option(
    "--expires",
    "expires_at",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"]),
    help="Not remembered from then on; a date is the beginning of that day here.",
)


@group("memory")
def memory_group() -> None:
    """Preview: what personas of yours are to remember, for searches that name them."""


@memory_group.command("add")
@persona_argument
@click.argument("text")
@click.option("--type", "type_", type=click.Choice(TYPES), default="fact", show_default=True)
@tag_option
@expires_option
@click.option("--supersedes", metavar="ID", help="A memory whose place it takes.")
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
    """Have PERSONA remember TEXT; it is stored only if you say yes, or with --yes."""
    session.confirm(APPROVAL, yes)
    with session.client() as client:
        memory = client.memory.create(
            persona,
            type_,
            text,
            source="user_approved",
            tags=tags or None,
            supersedes=supersedes,
            expires_at=expires_at and expires_at.astimezone(),
        )
    if session.terminal.as_json:
        session.terminal.json(memory)
        return
    session.terminal.whole(memory.id)
    session.terminal.say(f"use it:  citegrid ask --persona {persona} QUESTION")


@memory_group.command("list")
@persona_argument
@type_option
@click.option("--tag", metavar="TAG", help="Only with this tag.")
@click.option("--query", "question", metavar="TEXT", help="Only what fits, the best first.")
@limit_option
@cursor_option
def list_memories(
    session: Session,
    persona: str,
    type_: Any,
    tag: str | None,
    question: str | None,
    limit: int,
    cursor: str | None,
) -> None:
    """Print what PERSONA remembers, newest first."""
    with session.client() as client:
        page = client.memory.list(
            persona, type=type_, tag=tag, q=question, limit=limit, cursor=cursor
        )
    names = ("ID", "TYPE", "TAGS", "EXPIRES", "CONTENT")
    session.terminal.page(
        page, names, [_row(memory) for memory in page.items], f"memory list {persona}"
    )


def _row(memory: MemoryListed | Memory) -> tuple[str, ...]:
    expires = f"{memory.expires_at:%Y-%m-%d}" if memory.expires_at else "-"
    content = " ".join(memory.content.split())
    return memory.id, memory.type, ",".join(memory.tags) or "-", expires, content


@memory_group.command("show")
@persona_argument
@click.argument("memory_id")
def show(session: Session, persona: str, memory_id: str) -> None:
    """Print a memory and what it was before."""
    with session.client() as client:
        memory = client.memory.get(persona, memory_id)
    if session.terminal.as_json:
        session.terminal.json(memory)
        return
    session.terminal.text(memory.content)
    for former in memory.history:
        session.terminal.say(f"version {former.version}:  {former.content}")


@memory_group.command("update")
@persona_argument
@click.argument("memory_id")
@click.option("--text", help="Another text.")
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
    """Give a memory another text or other tags; what it was is kept."""
    session.confirm(APPROVAL, yes)
    with session.client() as client:
        memory = client.memory.update(
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
@click.option("--all", "everything", is_flag=True, help="Everything that PERSONA remembers.")
@yes_option
def erase(
    session: Session, persona: str, memory_id: str | None, everything: bool, yes: bool
) -> None:
    """Erase one memory for good, or with --all the whole persona."""
    if everything == (memory_id is not None):
        raise click.UsageError("Takes either the id of a memory, or --all.")
    what = f"everything that {persona} remembers" if everything else str(memory_id)
    session.confirm(f"Erase {what} for good?", yes)
    with session.client() as client:
        if memory_id is not None:
            client.memory.delete(persona, memory_id)
        else:
            client.memory.delete_persona(persona, confirm=persona)
    session.terminal.say(f"erased {what}")


@memory_group.command("export")
@persona_argument
def export(session: Session, persona: str) -> None:
    """Print everything of PERSONA with its history, as JSON."""
    with session.client() as client:
        memories = client.memory.export(persona)
    session.terminal.json({"memory": as_json(memories)})
