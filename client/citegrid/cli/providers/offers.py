"""`citegrid offer`: find offers for a model, publish your own."""

import click

from citegrid.cli.command import Session, cursor_option, end, group
from citegrid.cli.exits import Exit
from citegrid.client import Client
from citegrid.nouns.providers.offers import PublicOffer

PUBLIC = ("OFFER", "NAME", "PROVIDER", "USD/1M IN", "USD/1M OUT", "AVAILABILITY", "REVISION")


@group("offer")
def offer_group() -> None:
    """Find offers of models, and publish your own."""


@offer_group.command("list")
@click.argument("model")
@cursor_option
def list_offers(session: Session, model: str, cursor: str | None) -> None:
    """Print the offers for MODEL (exact name). No sign-in needed."""
    page = session.client.offers.list(model, cursor=cursor)
    session.terminal.page(page, PUBLIC, public_rows(page.items))


def public_rows(offers: tuple[PublicOffer, ...]) -> list[tuple[object, ...]]:
    return [
        (
            o.offer_id,
            o.public_name,
            o.provider.handle,
            f"{o.rates.input:f}",
            f"{o.rates.output:f}",
            o.availability,
            o.pricing_revision,
        )
        for o in offers
    ]


@offer_group.command("show")
@click.argument("offer_id")
def show(session: Session, offer_id: str) -> None:
    """Print an offer with the pricing revision needed to select it."""
    offer = session.client.offers.get(offer_id)
    if session.terminal.as_json:
        session.terminal.json(offer)
        return
    facts = (
        ("offer", offer.offer_id),
        ("name", offer.public_name),
        ("model", f"{offer.model} ({offer.model_revision})"),
        ("USD/1M", f"{offer.rates.input:f} in, {offer.rates.output:f} out"),
        ("revision", str(offer.pricing_revision)),
        ("availability", offer.availability),
        ("provider", f"{offer.provider.display_name} ({offer.provider.handle})"),
    )
    for name, value in facts:
        session.terminal.text(f"{name:<13} {value}")


@offer_group.command("mine")
@cursor_option
def mine(session: Session, cursor: str | None) -> None:
    """Print your offers, published or not."""
    page = session.client.own_offers.list(cursor=cursor)
    rows = [
        (
            o.offer_id,
            o.public_name,
            o.model,
            f"{o.rates.input:f}",
            f"{o.rates.output:f}",
            o.availability,
            "published" if o.published else "hidden",
            "needs review" if o.needs_review else "",
        )
        for o in page
    ]
    names = ("OFFER", "NAME", "MODEL", "USD/1M IN", "USD/1M OUT", "AVAILABILITY", "STATE", "")
    session.terminal.page(page, names, rows)


@offer_group.command("publish")
@click.argument("offer_id")
@click.option("--name", help="Public name. Default: unchanged.")
def publish(session: Session, offer_id: str, name: str | None) -> None:
    """Publish an offer. It is public while your profile is published, too."""
    _change(session, offer_id, name, published=True)


@offer_group.command("hide")
@click.argument("offer_id")
def hide(session: Session, offer_id: str) -> None:
    """Unpublish an offer."""
    _change(session, offer_id, None, published=False)


def _change(session: Session, offer_id: str, name: str | None, *, published: bool) -> None:
    name = name or _name(session.client, offer_id)
    if name is None:
        session.terminal.problem("Offer not found.", "citegrid offer mine", code="offer_not_found")
        end(Exit.NOT_FOUND)
        return
    session.client.own_offers.update(offer_id, name, published)
    session.terminal.result(
        {"offer_id": offer_id, "published": published},
        f"{offer_id} {'published' if published else 'hidden'}",
        whole=True,
    )


def _name(client: Client, offer_id: str) -> str | None:
    every = client.own_offers.iterate()
    return next((offer.public_name for offer in every if offer.offer_id == offer_id), None)
