"""The tables of devices, saved offers and their prices."""

from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from app.core.db import Reader, Tx, one, run, send
from app.domains.providers.providers.offer_pages import MOST
from app.domains.providers.providers.offer_rules import OfferFields

LONGEST_SILENCE_SECONDS: Final = 45

# Its state now, from the device's last report: computed on each read, stored nowhere.
AVAILABILITY = f"""
    case when seen_at is null or seen_at <= now() - interval '{LONGEST_SILENCE_SECONDS} seconds'
         then 'offline' when in_flight >= capacity then 'busy' else 'available' end
    """


class PublicOffer(NamedTuple):
    """A tuple, as rows come: a page is 200 of them. Rates are decimal text without end zeros."""

    id: str
    model: str
    model_revision: str
    pricing_revision: int
    public_name: str
    input_rate: str
    output_rate: str
    availability: str
    display_name: str
    handle: str
    description: str
    website: str | None
    has_avatar: bool


# One more than a page, which says that there is a next one. A number, since the planner would take
# a parameter for a tenth of the table. Offers are chosen before anything is joined to them, in the
# order of one index.
_PAGE = f"order by id limit {MOST + 1}"

# "limit 1" on what is unique anyway: to the planner it means to look each row up by its key.
_HEARD = f"""
    cross join lateral (
        select {AVAILABILITY} as availability from provider_devices
        where account_id = offers.account_id and device_id = offers.device_id limit 1
    ) device
    """  # noqa: S608 (made of constants)
_SHOWN = f"""
    select offers.id::text, model, model_revision, pricing_revision, public_name,
           trim_scale(input_rate)::text as input_rate,
           trim_scale(output_rate)::text as output_rate, availability,
           display_name, handle, description, website, has_avatar
    from offers {_HEARD}
    cross join lateral (
        select display_name, handle, description, website, avatar is not null as has_avatar
        from provider_profiles where account_id = offers.account_id limit 1
    ) provider
    order by offers.id
    """  # noqa: S608 (made of constants)

OF_MODEL = f"""
    with offers as (
        select * from provider_offers where listed and model = %(model)s and id > %(after)s {_PAGE}
    )
    {_SHOWN}
    """  # noqa: S608 (made of constants)


def listed_of_model(reader: Reader, model: str, after: UUID) -> list[PublicOffer]:
    found = reader.execute(OF_MODEL, {"model": model, "after": after}).fetchall()
    return list(map(PublicOffer._make, found))


OF_ACCOUNT = f"""
    with offers as (
        select * from provider_offers
        where listed and account_id = %(account_id)s and id > %(after)s {_PAGE}
    )
    {_SHOWN}
    """  # noqa: S608 (made of constants)


def listed_of_account(tx: Tx, account_id: UUID, after: UUID) -> list[PublicOffer]:
    found = tx.execute(OF_ACCOUNT, {"account_id": account_id, "after": after}).fetchall()
    return list(map(PublicOffer._make, found))


LISTED = f"""
    with offers as (select * from provider_offers where listed and id = %(id)s) {_SHOWN}
    """  # noqa: S608 (made of constants)


def listed(reader: Reader, id: UUID) -> PublicOffer | None:
    row = reader.execute(LISTED, {"id": id}).fetchone()
    return PublicOffer._make(row) if row else None


class OwnOffer(NamedTuple):
    id: str
    device_id: str
    model: str
    model_revision: str
    pricing_revision: int
    public_name: str
    published: bool
    input_rate: str
    output_rate: str
    availability: str
    needs_review: bool


OWN = f"""
    with offers as (
        select * from provider_offers
        where account_id = %(account_id)s and id > %(after)s and deleted_at is null {_PAGE}
    )
    select offers.id::text, device_id, offers.model, model_revision, pricing_revision, public_name,
           published, trim_scale(input_rate)::text as input_rate,
           trim_scale(output_rate)::text as output_rate, availability,
           editions.model is null as needs_review
    from offers {_HEARD}
    left join editions on editions.model = offers.model and editions.revision = model_revision
    order by offers.id
    """  # noqa: S608 (made of constants)


def of_account(reader: Reader, account_id: UUID, after: UUID) -> list[OwnOffer]:
    rows = reader.execute(OWN, {"account_id": account_id, "after": after}).fetchall()
    return list(map(OwnOffer._make, rows))


UPDATE = """
    update provider_offers
    set public_name = %(public_name)s, published = %(published)s, listed = %(listed)s
    where id = %(id)s and account_id = %(account_id)s and deleted_at is null
    """


def update(tx: Tx, account_id: UUID, id: UUID, **columns: Any) -> bool:
    """False: the account has no such offer."""
    return run(tx, UPDATE, id=id, account_id=account_id, **columns) == 1


LIST = """
    update provider_offers set listed = %(listed)s
    where account_id = %(account_id)s and published and listed <> %(listed)s
    """


def list_published(tx: Tx, account_id: UUID, listed: bool) -> None:
    """Carries the profile's flag over to the offers; theirs stay as they are."""
    send(tx, LIST, account_id=account_id, listed=listed)


SAY = """
    insert into provider_devices (account_id, device_id, in_flight, capacity, seen_at)
    values (%(account_id)s, %(device_id)s, coalesce(%(in_flight)s::int, 0),
            coalesce(%(capacity)s::int, 1), %(seen_at)s::timestamptz)
    on conflict (account_id, device_id) do update
    set in_flight = coalesce(%(in_flight)s::int, provider_devices.in_flight),
        capacity = coalesce(%(capacity)s::int, provider_devices.capacity),
        seen_at = coalesce(%(seen_at)s::timestamptz, provider_devices.seen_at)
    """


def heard_of_device(
    tx: Tx,
    account_id: UUID,
    device_id: str,
    *,
    in_flight: int | None = None,
    capacity: int | None = None,
    seen_at: datetime | None = None,
) -> None:
    """Keeps what a device says of itself now; what is None stays as it was."""
    send(
        tx,
        SAY,
        account_id=account_id,
        device_id=device_id,
        in_flight=in_flight,
        capacity=capacity,
        seen_at=seen_at,
    )


@dataclass(frozen=True, slots=True)
class SavedOffer:
    """`created` is False when the offer was there before."""

    id: UUID
    created: bool


SAVE = """
    insert into provider_offers
        (id, account_id, device_id, model, model_revision, pricing_revision,
         input_rate, output_rate, public_name, serving, auto_eligible, max_context, precision)
    values (%(id)s, %(account_id)s, %(device_id)s, %(model)s, %(model_revision)s, 1, %(input_rate)s,
            %(output_rate)s, %(public_name)s, coalesce(%(serving)s::bool, false),
            coalesce(%(auto_eligible)s::bool, false), %(max_context)s::int, %(precision)s::text)
    on conflict (account_id, device_id, model) do update
    set model_revision = excluded.model_revision,
        serving = coalesce(%(serving)s::bool, provider_offers.serving),
        auto_eligible = coalesce(%(auto_eligible)s::bool, provider_offers.auto_eligible),
        max_context = coalesce(%(max_context)s::int, provider_offers.max_context),
        precision = coalesce(%(precision)s::text,
                             case when provider_offers.model_revision = excluded.model_revision
                                  then provider_offers.precision end),
        deleted_at = null
    returning id, id = %(id)s as created
    """


def save(tx: Tx, id: UUID, account_id: UUID, offered: OfferFields) -> SavedOffer:
    """The offer of this device and model, held until the transaction ends; `price` must follow.

    Name and rates are for a new one only: the name of another is its owner's to change, its price
    has revisions. Flags that are None stay; so does the precision, of the same model revision.
    """
    return one(tx, SavedOffer, SAVE, id=id, account_id=account_id, **asdict(offered))


PRICE = """
    with next as (
        insert into provider_offer_prices (offer_id, revision, input_rate, output_rate)
        select id, coalesce((select max(revision) from provider_offer_prices
                             where offer_id = %(id)s), 0) + 1, %(input)s, %(output)s
        from provider_offers
        where id = %(id)s and (%(first)s or (input_rate, output_rate) <> (%(input)s, %(output)s))
        returning revision
    )
    update provider_offers
    set pricing_revision = next.revision, input_rate = %(input)s, output_rate = %(output)s
    from next where provider_offers.id = %(id)s
    """


def price(tx: Tx, id: UUID, input_rate: Decimal, output_rate: Decimal, *, first: bool) -> bool:
    """Add the next price, the first one or another than the current; whether it was added."""
    return run(tx, PRICE, id=id, input=input_rate, output=output_rate, first=first) == 1


SERVE = """
    update provider_offers set serving = model = any(%(models)s)
    where account_id = %(account_id)s and device_id = %(device_id)s and deleted_at is null
      and serving <> (model = any(%(models)s))
    """


def serve(tx: Tx, account_id: UUID, device_id: str, models: list[str]) -> None:
    """Of the device's offers exactly those of these models are served now."""
    send(tx, SERVE, account_id=account_id, device_id=device_id, models=models)


WITHDRAW = """
    update provider_offers
    set deleted_at = now(), published = false, listed = false, serving = false,
        auto_eligible = false
    where account_id = %(account_id)s and device_id = %(device_id)s and deleted_at is null
      and model <> all(%(but)s)
    """


def withdraw(tx: Tx, account_id: UUID, device_id: str, but: list[str]) -> None:
    send(tx, WITHDRAW, account_id=account_id, device_id=device_id, but=but)
