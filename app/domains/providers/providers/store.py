"""The provider_profiles table. Offers: offer_store.py."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.errors import UniqueViolation

from app.core.db import Reader, Tx, first, one, run, send, value


@dataclass(frozen=True, slots=True)
class Profile:
    account_id: UUID
    display_name: str
    handle: str
    description: str
    website: str | None
    published: bool
    has_avatar: bool


_COLUMNS = """
    account_id, display_name, handle, description, website, published,
    avatar is not null as has_avatar
    """
_PROFILES = "select" + _COLUMNS + "from provider_profiles "
BY_ACCOUNT = _PROFILES + "where account_id = %(account_id)s"


def profile(reader: Reader, account_id: UUID) -> Profile | None:
    """The account's profile, or None before it saved one."""
    return first(reader, Profile, BY_ACCOUNT, account_id=account_id)


LOCK = "select published from provider_profiles where account_id = %(account_id)s for share"


def is_published(tx: Tx, account_id: UUID) -> bool | None:
    """None without a profile. What it says stays true until the transaction ends."""
    found: bool | None = value(tx, LOCK, account_id=account_id)
    return found


PUBLISHED = _PROFILES + "where handle = %(handle)s and published"


def published(tx: Tx, handle: str) -> Profile | None:
    return first(tx, Profile, PUBLISHED, handle=handle)


# One account saves at a time: `on conflict` looks at the primary key only, so of two first saves
# at once the later would find its own account's handle taken in the other index.
SAVE = f"""
    insert into provider_profiles
        (account_id, display_name, handle, description, website, published)
    select id, %(display_name)s, %(handle)s, %(description)s, %(website)s, %(published)s
    from accounts where id = %(account_id)s for no key update
    on conflict (account_id) do update
    set display_name = excluded.display_name, handle = excluded.handle,
        description = excluded.description, website = excluded.website,
        published = excluded.published
    returning {_COLUMNS}
    """  # noqa: S608 (made of constants)


def save(tx: Tx, account_id: UUID, **fields: Any) -> Profile | None:
    """None when another account has the handle; the transaction is lost then."""
    try:
        return one(tx, Profile, SAVE, account_id=account_id, **fields)
    except UniqueViolation:
        return None


AVATAR = f"""
    update provider_profiles
    set avatar = %(data)s, avatar_media_type = %(media_type)s, public_avatar = %(public)s
    where account_id = %(account_id)s
    returning {_COLUMNS}
    """  # noqa: S608 (made of constants)


def set_avatar(
    tx: Tx, account_id: UUID, data: bytes | None, media_type: str | None, public: bytes | None
) -> Profile | None:
    """All None removes it. None without a profile."""
    return first(
        tx, Profile, AVATAR, account_id=account_id, data=data, media_type=media_type, public=public
    )


@dataclass(frozen=True, slots=True, repr=False)
class Image:
    media_type: str
    data: bytes


OWN_AVATAR = """
    select avatar_media_type as media_type, avatar as data
    from provider_profiles where account_id = %(account_id)s and avatar is not null
    """


def avatar(reader: Reader, account_id: UUID) -> Image | None:
    return first(reader, Image, OWN_AVATAR, account_id=account_id)


PUBLIC_AVATAR = """
    select public_avatar from provider_profiles
    where handle = %(handle)s and published and avatar is not null
    """


def public_avatar(reader: Reader, handle: str) -> bytes | None:
    found: bytes | None = value(reader, PUBLIC_AVATAR, handle=handle)
    return found


ENABLE = """
    insert into editions (model, revision) values (%(model)s, %(revision)s) on conflict do nothing
    """


def enable_edition(tx: Tx, model: str, revision: str) -> bool:
    return run(tx, ENABLE, model=model, revision=revision) == 1


DISABLE = "delete from editions where model = %(model)s and revision = %(revision)s"


def disable_edition(tx: Tx, model: str, revision: str) -> bool:
    return run(tx, DISABLE, model=model, revision=revision) == 1


EDITIONS = "select model, revision from editions order by model, revision"


def editions(reader: Reader) -> list[tuple[str, str]]:
    """Enabled models with their revisions."""
    return reader.execute(EDITIONS).fetchall()


UNPUBLISH = "update provider_profiles set published = false where account_id = %(account_id)s"


def unpublish(tx: Tx, account_id: UUID) -> None:
    send(tx, UNPUBLISH, account_id=account_id)
