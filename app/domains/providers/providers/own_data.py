"""An account's data in profiles, computers and offers."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, Nameless, Retention, RowDeletion, Table, nobodys

OFFERS: LiteralString = "select id from provider_offers where account_id = %(account_id)s"
_WITHOUT_CHATS: LiteralString = (
    "not exists (select from chats where chats.offer_id = provider_offers.id)"
)
_WITHOUT_OFFERS: LiteralString = (
    "not exists (select from provider_offers offer where (offer.account_id, offer.device_id)"
    " = (provider_devices.account_id, provider_devices.device_id))"
)

PROVIDERS_TABLES: Final = (
    Table(
        "provider_profiles",
        Export(
            "display_name, handle, description, website, published, avatar_media_type, avatar",
            key=("account_id",),
            file="provider_profile",
        ),
        RowDeletion(),
    ),
    Table(
        "provider_devices",
        Export("device_id, capacity, seen_at", key=("device_id",)),
        (
            RowDeletion(_WITHOUT_OFFERS, last=True),
            Retention("while chats of others refer to their prices"),
        ),
    ),
    Table(
        "provider_offers",
        Export(
            "id, device_id, model, model_revision, precision, pricing_revision, input_rate,"
            " output_rate, public_name, published, auto_eligible, max_context, deleted_at",
            file="offers",
        ),
        (
            RowDeletion(_WITHOUT_CHATS, last=True),
            Nameless(
                "public_name = 'erased', published = false, listed = false, serving = false,"
                " auto_eligible = false, deleted_at = coalesce(deleted_at, now())",
                "chats of others refer to their prices",
            ),
        ),
    ),
    Table(
        "provider_offer_prices",
        Export(
            "offer_id, revision, input_rate, output_rate, created_at",
            key=("revision",),
            file="offer_prices",
        ),
        Retention("while chats of others refer to them"),
        by="offer_id",
        parents=OFFERS,
    ),
    *nobodys("the operator's", "editions"),
)
