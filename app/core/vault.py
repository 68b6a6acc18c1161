"""Secrets that must be read again, encrypted where they are stored: AES-256-GCM under SECRET_KEY.

What only has to be recognised is hashed instead (`accounts/sign_in/credentials.py`).
"""

import os
from collections.abc import Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NONCE_BYTES: Final = 12
_KEY_ID_BYTES: Final = 4
_VERSION: Final = b"\x01"


class Unreadable(Exception):
    """Sealed under a key that is not known (any more), for something else, or damaged."""


class Vault:
    """Seals and opens for one purpose: what was sealed for another cannot be opened.

    The first of `secret_keys` seals; each of them opens. Empty ones are left out.
    """

    def __init__(self, secret_keys: Sequence[str], purpose: str) -> None:
        keys = [_derived(secret_key, purpose) for secret_key in secret_keys if secret_key]
        self._ciphers = {_VERSION + _key_id(key): AESGCM(key) for key in keys}
        self.current = next(iter(self._ciphers))
        """How everything begins that the newest key sealed."""

    def seal(self, plain: bytes, bound_to: bytes) -> bytes:
        """Encrypt; `bound_to` names whose it is, so that it is of no use in another place."""
        nonce = os.urandom(_NONCE_BYTES)
        cipher = self._ciphers[self.current]
        return self.current + nonce + cipher.encrypt(nonce, plain, self.current + bound_to)

    def open(self, sealed: bytes, bound_to: bytes) -> bytes:
        """Opens what was sealed with the same `bound_to`. Raises Unreadable."""
        header, rest = sealed[: len(self.current)], sealed[len(self.current) :]
        cipher = self._ciphers.get(header)
        if cipher is None:
            raise Unreadable
        nonce, encrypted = rest[:_NONCE_BYTES], rest[_NONCE_BYTES:]
        try:
            return cipher.decrypt(nonce, encrypted, header + bound_to)
        except (InvalidTag, ValueError):
            raise Unreadable from None


def _derived(secret_key: str, purpose: str) -> bytes:
    info = f"citegrid vault {purpose}".encode()
    return HKDF(SHA256(), 32, salt=None, info=info).derive(secret_key.encode())


def _key_id(key: bytes) -> bytes:
    """Tells keys apart without saying anything about them."""
    digest = Hash(SHA256())
    digest.update(b"citegrid key id" + key)
    return digest.finalize()[:_KEY_ID_BYTES]
