"""Peppers of former SECRET_KEYs, kept in the database: no key or sign-in ends by a rotation."""

import hashlib
from typing import Final

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Reader, Tx, run, value
from app.core.vault import Vault
from app.domains.account.accounts.sign_in.credentials import Pepper

_PURPOSE: Final = "peppers"

ALL = "select id, sealed from peppers order by kept_at desc"
KEEP = """
    insert into peppers (id, sealed) values (%(id)s, %(sealed)s)
    on conflict (id) do update set sealed = excluded.sealed
    """
MOVED = "update peppers set moved_at = now() where id = %(id)s"
HAS_MOVED = "select moved_at is not null from peppers where id = %(id)s"


class Peppers:
    """Of one process. Those that are kept are read once, at the first credential."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pepper: Pepper | None = None

    def get(self) -> Pepper:
        """Raises vault.Unreadable where the database was sealed under another SECRET_KEY."""
        if self._pepper is None:
            with db.reading() as reader:
                former = _kept(reader, self._settings)
            keys = dict.fromkeys((*Pepper.of(self._settings).keys, *former.values()))
            self._pepper = Pepper(tuple(keys))
        return self._pepper


def _kept(reader: Reader, settings: Settings) -> dict[str, bytes]:
    vault = _vault(settings)
    rows = reader.execute(ALL).fetchall()
    return {id: vault.open(bytes(sealed), id.encode()) for id, sealed in rows}


def _vault(settings: Settings) -> Vault:
    return Vault(settings.secret_keys, _PURPOSE)


def keep_former(tx: Tx, settings: Settings) -> int:
    """Keep the pepper of SECRET_KEY_PREVIOUS, and seal all under the newest; how many they are."""
    vault = _vault(settings)
    former = Pepper.of(settings).keys[1:]
    kept = {**_kept(tx, settings), **{_id(key): key for key in former}}
    for id, key in kept.items():
        run(tx, KEEP, id=id, sealed=vault.seal(key, id.encode()))
    return len(kept)


def _id(key: bytes) -> str:
    """Tells peppers apart without saying anything about them."""
    return hashlib.sha256(b"citegrid pepper id" + key).hexdigest()[:16]


def moved(tx: Tx, settings: Settings) -> None:
    """Nothing that is stored needs SECRET_KEY_PREVIOUS any more."""
    run(tx, MOVED, id=_id(Pepper.of(settings).keys[-1]))


def have_moved(reader: Reader, settings: Settings) -> bool:
    return bool(value(reader, HAS_MOVED, id=_id(Pepper.of(settings).keys[-1])))
