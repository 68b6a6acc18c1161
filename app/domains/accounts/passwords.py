"""Passwords: which are taken, and their argon2id hashes.

Parameters: the second recommended option of RFC 9106, section 4 (64 MiB, 3 passes, 4 lanes), above
OWASP's minimum. A hash takes about 0.2 s and 64 MiB, so a process computes two at once at most.
"""

import base64
import secrets
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from argon2 import PasswordHasher, profiles
from argon2.exceptions import InvalidHashError, VerificationError

from app.core.errors import Overloaded
from app.domains.accounts.weak_passwords import WEAK

LEAST_CHARACTERS: Final = 8
MOST_CHARACTERS: Final = 128
WAIT_SECONDS: Final = 5.0

hasher = PasswordHasher.from_parameters(profiles.RFC_9106_LOW_MEMORY)

_turns = threading.BoundedSemaphore(2)


def normalise(text: str) -> str:
    """NFC, so that one password typed on two systems is one. ValueError beyond 128 characters.

    For signing in: says nothing about whether the password would be taken for a new account.
    """
    # Composing a megabyte of accents is work: a bound before it as well.
    composed = unicodedata.normalize("NFC", text[: MOST_CHARACTERS * 4])
    if len(composed) > MOST_CHARACTERS or len(text) > MOST_CHARACTERS * 4:
        raise ValueError(f"Takes at most {MOST_CHARACTERS} characters.")
    if any(unicodedata.category(character) == "Cs" for character in composed):
        raise ValueError("Not valid text.")
    return composed


def acceptable(text: str, email: str) -> str:
    """A new account's password in NFC. ValueError with a sentence for the caller."""
    password = normalise(text)
    if len(password) < LEAST_CHARACTERS:
        raise ValueError(f"Takes {LEAST_CHARACTERS} to {MOST_CHARACTERS} characters.")
    plain = password.lower()
    if plain in WEAK or len(set(plain)) == 1:
        raise ValueError("This is one of the most common passwords; choose another.")
    if plain in (email.lower(), email.lower().partition("@")[0]):
        raise ValueError("The password must differ from the e-mail address.")
    return password


def hash(password: str) -> str:
    """The encoded argon2id hash. Raises Overloaded when too many wait for theirs."""
    with _turn():
        return hasher.hash(password)


def matches(encoded: str, password: str) -> bool:
    """Whether the password has this hash. Raises Overloaded when too many wait for theirs."""
    with _turn():
        try:
            return hasher.verify(encoded, password)
        except (VerificationError, InvalidHashError):
            return False


@contextmanager
def _turn() -> Iterator[None]:
    if not _turns.acquire(timeout=WAIT_SECONDS):
        raise Overloaded(retry_after=5, why="passwords wait to be hashed")
    try:
        yield
    finally:
        _turns.release()


def unmatchable() -> str:
    """A hash that no password has and that takes as long to check as any other."""
    salt, tag = (_base64(secrets.token_bytes(n)) for n in (hasher.salt_len, hasher.hash_len))
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${tag}"


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode().rstrip("=")
