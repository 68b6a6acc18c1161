"""A persona's key: it seals what is remembered, and is itself sealed under SECRET_KEY.

What it seals is bound to the account, the memory and its version: put anywhere else, it does not
open. Deleting the wrapped key makes all of the persona unreadable, in copies of the rows too.
"""

import hmac
import os
from typing import Final, Self
from uuid import UUID

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.vault import Unreadable, Vault
from app.domains.search.memories import store

_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_VERSION: Final = b"\x01"


def vault_of(settings: Settings) -> Vault:
    return Vault(settings.secret_keys, "memories")


class PersonaKey:
    def __init__(self, key: bytes, account_id: UUID) -> None:
        self._cipher = AESGCM(key)
        self._digesting = HKDF(SHA256(), 32, salt=None, info=b"citegrid duplicates").derive(key)
        self._account_id = account_id

    @classmethod
    def unwrap(cls, vault: Vault, wrapped: bytes, account_id: UUID, persona_id: str) -> Self:
        """Raises Unreadable."""
        return cls(vault.open(wrapped, _owner(account_id, persona_id)), account_id)

    def seal(self, id: UUID, version: int, content: str, tags: list[str]) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        plain = orjson.dumps([content, tags])
        return _VERSION + nonce + self._cipher.encrypt(nonce, plain, self._bound_to(id, version))

    def open(self, id: UUID, version: int, sealed: bytes) -> tuple[str, list[str]]:
        """Content and tags. Raises Unreadable."""
        header, nonce, rest = sealed[:1], sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        if header != _VERSION:
            raise Unreadable
        try:
            plain = self._cipher.decrypt(nonce, rest, self._bound_to(id, version))
        except (InvalidTag, ValueError):
            raise Unreadable from None
        content, tags = orjson.loads(plain)
        return content, tags

    def digest(self, *parts: object) -> bytes:
        """Equal for equal parts, and of no use to whoever lacks the key."""
        return hmac.digest(self._digesting, orjson.dumps(parts), "sha256")

    def _bound_to(self, id: UUID, version: int) -> bytes:
        return f"mem|{self._account_id}|{id}|{version}".encode()


def new_wrapped(vault: Vault, account_id: UUID, persona_id: str) -> bytes:
    return vault.seal(os.urandom(_KEY_BYTES), _owner(account_id, persona_id))


def rotate(tx: Tx, vault: Vault, account_id: UUID) -> tuple[int, int]:
    """Seal an account's keys under the newest SECRET_KEY; how many, and how many none opens."""
    rotated = unreadable = 0
    for key in store.keys(tx, account_id):
        try:
            fresh = wrap_again(vault, bytes(key.wrapped), account_id, key.persona_id)
        except Unreadable:
            unreadable += 1
            continue
        if fresh is not None:
            store.wrap(tx, account_id, key.persona_id, fresh)
            rotated += 1
    return rotated, unreadable


def wrap_again(vault: Vault, wrapped: bytes, account_id: UUID, persona_id: str) -> bytes | None:
    """The same key under the newest SECRET_KEY; None where it is so already. Raises Unreadable."""
    if wrapped.startswith(vault.current):
        return None
    owner = _owner(account_id, persona_id)
    return vault.seal(vault.open(wrapped, owner), owner)


def _owner(account_id: UUID, persona_id: str) -> bytes:
    return f"mem|{account_id}|{persona_id}".encode()
