"""Terms of public offers beside their price: claims of the provider, and the operator's word on the
revision. The public offer itself keeps the fields of its interface.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.core.db import Reader, many


@dataclass(frozen=True, slots=True)
class OfferTerms:
    """`max_context` and `precision` are claimed; None: the provider says nothing of it."""

    offer_id: UUID
    max_context: int | None
    precision: str | None
    revision_enabled: bool


TERMS = """
    select offers.id as offer_id, offers.max_context, offers.precision,
    editions.model is not null as revision_enabled
    from provider_offers offers
    left join editions on editions.model = offers.model
    and editions.revision = offers.model_revision
    where offers.id = any(%(offers)s) and offers.listed
    """


def offer_terms(reader: Reader, offers: Sequence[UUID]) -> dict[UUID, OfferTerms]:
    found = many(reader, OfferTerms, TERMS, offers=list(offers))
    return {row.offer_id: row for row in found}
