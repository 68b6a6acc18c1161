"""`citegrid chat` and `citegrid models`."""

import sys

import click

from citegrid.cli.command import Session, command
from citegrid.nouns.providers.chats import ChatUsage, selection


@command("chat")
@click.argument("prompt", nargs=-1, required=True)
@click.option("--model", required=True, help="Exact model ID; `citegrid models` prints them.")
@click.option("--system", metavar="TEXT", help="What the model is told first.")
@click.option("--offer", metavar="UUID", help="Exactly this offer; else one is chosen.")
@click.option("--revision", type=click.IntRange(1), help="The offer's pricing revision.")
@click.option("--max-tokens", type=click.IntRange(1), help="Of the answer; else 1024.")
def chat(
    session: Session,
    prompt: tuple[str, ...],
    model: str,
    system: str | None,
    offer: str | None,
    revision: int | None,
    max_tokens: int | None,
) -> None:
    """Send PROMPT to a provider's model, and print the answer as it comes; `-` reads stdin.

    Preview. The provider whose computer answers can read it. With --offer and --revision exactly
    that offer answers at exactly that price.
    """
    if (offer is None) != (revision is None):
        raise click.UsageError("--offer and --revision belong together.")
    question = sys.stdin.read() if prompt == ("-",) else " ".join(prompt)
    messages = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": question})
    selected = selection(offer, revision) if offer and revision else None
    usage: ChatUsage | None = None
    text: list[str] = []
    with session.client() as client:
        for part in client.chats.stream(
            model, messages, provider_selection=selected, max_tokens=max_tokens
        ):
            usage = part.usage or usage
            text.append(part.text)
            if not session.terminal.as_json:
                session.terminal.part(part.text)
    if session.terminal.as_json:
        session.terminal.json({"text": "".join(text), "usage": usage})
        return
    session.terminal.part("\n")
    if usage is not None:
        session.terminal.say(f"{usage.total_tokens} tokens, {usage.cost:f} USD")


@command("models")
def models(session: Session) -> None:
    """Print the models that public offers serve; no credential is needed. Preview."""
    with session.client() as client:
        found = client.chats.models()
    session.terminal.listing(found, ("MODEL",), [(model.id,) for model in found.data])
