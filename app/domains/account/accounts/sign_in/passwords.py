"""Passwords: which are taken, and their argon2id hashes.

Parameters: the second recommended option of RFC 9106, section 4 (64 MiB, 3 passes, 4 lanes), above
OWASP's minimum. A hash takes about 0.2 s and 64 MiB, so a process computes two at once at most. A
request that needs one takes a place in a lane first: when that is full, it is refused at once
instead of holding a thread that others need.
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
from zxcvbn.frequency_lists import FREQUENCY_LISTS

from app.core.errors import Overloaded

LEAST_CHARACTERS: Final = 8
OUR_WORDS: Final = ("citegrid",)
"""Guessed first at this service: they do not count among the characters of a password."""
MOST_CHARACTERS: Final = 128
AT_ONCE: Final = 2
RETRY_SECONDS: Final = 2

hasher = PasswordHasher.from_parameters(profiles.RFC_9106_LOW_MEMORY)


def normalise(text: str) -> str:
    """NFC, so that one password typed on two systems is one. ValueError beyond 128 characters.

    For signing in: says nothing about whether the password would be taken for a new account.
    """
    # Composing a megabyte of accents is work: a bound before it as well.
    composed = unicodedata.normalize("NFC", text[: MOST_CHARACTERS * 4])
    if len(composed) > MOST_CHARACTERS or len(text) > MOST_CHARACTERS * 4:
        raise ValueError(f"Must have at most {MOST_CHARACTERS} characters.")
    if any(unicodedata.category(character) == "Cs" for character in composed):
        raise ValueError("Not valid text.")
    return composed


def acceptable(text: str, email: str) -> str:
    """A new account's password in NFC. ValueError with a sentence for the caller."""
    password = normalise(text)
    if len(password) < LEAST_CHARACTERS:
        raise ValueError(f"Must have {LEAST_CHARACTERS} to {MOST_CHARACTERS} characters.")
    plain = password.lower()
    if is_common(plain) or len(set(plain)) == 1:
        raise ValueError("This is a common password, name or word; choose another.")
    if any(len(plain.replace(word, "")) < LEAST_CHARACTERS for word in OUR_WORDS if word in plain):
        raise ValueError("The name of this service makes it easy to guess; choose another.")
    if plain in (email.lower(), email.lower().partition("@")[0]):
        raise ValueError("The password must differ from the e-mail address.")
    return password


class HashingSlot:
    """A place in the lane of hashing: its holder computes hashes, one after the other."""

    def __init__(self, turns: threading.Semaphore) -> None:
        self._turns = turns

    def hash(self, password: str) -> str:
        with self._turns:
            return hasher.hash(password)

    def matches(self, encoded: str, password: str) -> bool:
        with self._turns:
            try:
                return hasher.verify(encoded, password)
            except (VerificationError, InvalidHashError):
                return False


class Lane:
    """One per process: `places` requests may compute hashes or wait for their turn."""

    def __init__(self, places: int) -> None:
        self._places = threading.BoundedSemaphore(places)
        self._turns = threading.BoundedSemaphore(AT_ONCE)

    @contextmanager
    def enter(self) -> Iterator[HashingSlot]:
        """Take a place for the block. Raises Overloaded when there is none."""
        if not self._places.acquire(blocking=False):
            raise Overloaded(retry_after=RETRY_SECONDS, why="the lane for passwords is full")
        try:
            yield HashingSlot(self._turns)
        finally:
            self._places.release()


def unmatchable() -> str:
    """A hash that no password has and that takes as long to check as any other."""
    salt, tag = (_base64(secrets.token_bytes(n)) for n in (hasher.salt_len, hasher.hash_len))
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${tag}"


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode().rstrip("=")


_BY_RULES: Final = """
    01234567 012345678 0123456789 12121212 123123123 1231231231 12341234 1234512345 13131313
    1qaz1qaz 20202020 21212121 23232323 69696969 87654321 98765432 987654321 9876543210
    aa12345678 abcdefgh abcdefghi admin1234 admin12345 asdasdasd demo1234 family123 guest123
    letmein! letmein123 lovely123 p@55w0rd p@ssw0rd1 p@ssword pa$$word passpass password1!
    password123! password2024 password2025 password2026 qwertyqwerty root1234 snoopy123
    summer2024 summer2025 test12345 testtest tigger123 user1234 welcome1! winter2024 winter2025
    zaq1zaq1 zxcvzxcv
    """


def is_common(password: str) -> bool:
    """True if guessers try it early; in lower case, and of more than one character."""
    # A millisecond, where its hash takes two hundred: no set of a hundred thousand in each process.
    lists = [_BY_RULES.split(), *FREQUENCY_LISTS.values()]
    return any(password in words for words in lists)
