"""Saved offers: what a node does, or the operator for it; devices are reported, editions known."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.domains.account.audit.service import record_event
from app.domains.providers.providers import offer_store, store
from app.domains.providers.providers.offer_rules import OfferFields


@dataclass(frozen=True, slots=True)
class SaveOutcome:
    """Of saving an offer: whether it is new, and whether its price is."""

    id: UUID
    created: bool
    priced: bool


def save_offer(tx: Tx, account_id: UUID, offered: OfferFields) -> SaveOutcome:
    """Make the offer of a device and model, unpublished, at pricing revision 1; or bring it up to
    date, where another rate makes the next revision. What is said of the device is kept as well.
    """
    offer_store.heard_of_device(
        tx,
        account_id,
        offered.device_id,
        in_flight=offered.in_flight,
        capacity=offered.capacity,
        seen_at=offered.seen_at,
    )
    saved = offer_store.save(tx, ids.new(), account_id, offered)
    rates = offered.input_rate, offered.output_rate
    priced = offer_store.price(tx, saved.id, *rates, first=saved.created)
    if priced:
        action = "offer.saved" if saved.created else "offer.priced"
        record_event(tx, action, str(saved.id), account_id, model=offered.model)
    return SaveOutcome(saved.id, saved.created, priced)


def withdraw_offers(tx: Tx, account_id: UUID, device_id: str, *, but: Sequence[str] = ()) -> None:
    """Take back all offers of a device but those of some models.

    Nobody sees them any more; their prices stay, since chats quote them. Saving such an offer again
    brings it back, unpublished.
    """
    offer_store.withdraw(tx, account_id, device_id, list(but))


def enable_edition(tx: Tx, model: str, revision: str) -> bool:
    """Know a revision of a model; False when it was known. Offers of others need review."""
    record_event(tx, "edition.enabled", model, revision=revision)
    return store.enable_edition(tx, model, revision)


def disable_edition(tx: Tx, model: str, revision: str) -> bool:
    """False when it was not enabled."""
    record_event(tx, "edition.disabled", model, revision=revision)
    return store.disable_edition(tx, model, revision)
