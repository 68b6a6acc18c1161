"""`citegrid chat` and `citegrid models`."""

import sys

import click

from citegrid.cli.command import Session, command
from citegrid.nouns.providers.chats import ChatUsage, selection


@command("chat")
@click.argument("prompt", nargs=-1, required=True)
@click.option("--model", required=True, help="Exact model id, as printed by `citegrid models`.")
@click.option("--system", metavar="TEXT", help="System message.")
@click.option("--offer", metavar="UUID", help="Offer id. Default: automatic selection.")
@click.option("--revision", type=click.IntRange(1), help="Pricing revision of the offer.")
@click.option(
    "--max-tokens", type=click.IntRange(1), help="Token limit of the answer. Default: 1024."
)
def chat(
    session: Session,
    prompt: tuple[str, ...],
    model: str,
    system: str | None,
    offer: str | None,
    revision: int | None,
    max_tokens: int | None,
) -> None:
    """Preview: send PROMPT to a provider's model and print the answer; `-` reads stdin.

    The provider can read the prompt. Use --offer and --revision to select an offer at a fixed
    price.
    """
    if (offer is None) != (revision is None):
        raise click.UsageError("Use --offer and --revision together.")
    question = sys.stdin.read() if prompt == ("-",) else " ".join(prompt)
    messages = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": question})
    selected = selection(offer, revision) if offer and revision else None
    usage: ChatUsage | None = None
    text: list[str] = []
    for part in session.client.chats.stream(
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
    """Preview: print the available models. No sign-in needed."""
    found = session.client.chats.models()
    session.terminal.listing(found, ("MODEL",), [(model.id,) for model in found.data])
