"""The form of keys and tokens, and their digests."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.config.settings import Settings
from app.core.log import redact
from app.domains.account.accounts.sign_in import credentials
from app.domains.account.accounts.sign_in.credentials import ACCESS, API_KEY, REFRESH, Pepper

SETTINGS = Settings(database_url="", redis_url="", secret_key="x" * 32)


@pytest.mark.parametrize(("prefix", "length"), [(API_KEY, 58), (ACCESS, 53), (REFRESH, 53)])
def test_a_new_credential_is_recognised_by_its_prefix(prefix: str, length: int) -> None:
    secret = credentials.new(prefix)
    assert (credentials.prefix_of(secret), len(secret)) == (prefix, length)


def test_two_credentials_differ() -> None:
    assert len({credentials.new(API_KEY) for _ in range(1000)}) == 1000


def test_no_mistyped_character_is_taken() -> None:
    secret = credentials.new(API_KEY)
    typos = [
        secret[:at] + ("a" if letter != "a" else "b") + secret[at + 1 :]
        for at, letter in enumerate(secret)
    ]
    assert [typo for typo in typos if credentials.prefix_of(typo)] == []


def test_no_swap_of_neighbours_is_taken() -> None:
    secret = credentials.new(API_KEY)
    swaps = [
        secret[:at] + secret[at + 1] + secret[at] + secret[at + 2 :]
        for at in range(len(secret) - 1)
        if secret[at] != secret[at + 1]
    ]
    assert [swap for swap in swaps if credentials.prefix_of(swap)] == []


@pytest.mark.parametrize("around", ["{}\n", " {}", "{}x", "\n{}", "{}{}"])
def test_nothing_around_a_credential_is_taken(around: str) -> None:
    secret = credentials.new(ACCESS)
    assert credentials.prefix_of(around.format(secret, secret)) is None


def test_digits_of_other_scripts_are_not_taken() -> None:
    assert credentials.prefix_of(API_KEY + "\u0661" * 49) is None


def test_the_prefix_is_part_of_the_checksum() -> None:
    assert credentials.prefix_of(REFRESH + credentials.new(ACCESS)[4:]) is None


@given(st.text(max_size=80))
def test_arbitrary_text_is_no_credential(text: str) -> None:
    assert credentials.prefix_of(text) is None


@pytest.mark.parametrize("prefix", [API_KEY, ACCESS, REFRESH])
def test_the_logs_know_every_kind(prefix: str) -> None:
    secret = credentials.new(prefix)
    assert redact(f"got {secret}!") == f"got {prefix}[redacted]!"


def test_a_digest_depends_on_the_secret_key() -> None:
    changed = replace(SETTINGS, secret_key="y" * 32)
    assert Pepper.of(SETTINGS).digest("a") != Pepper.of(changed).digest("a")


def test_digests_are_looked_up_under_both_secret_keys() -> None:
    changed = replace(SETTINGS, secret_key="y" * 32, secret_key_previous=SETTINGS.secret_key)
    pepper = Pepper.of(changed)
    assert pepper.digests("a") == [pepper.digest("a"), Pepper.of(SETTINGS).digest("a")]


def test_without_a_previous_secret_key_there_is_one_digest() -> None:
    assert len(Pepper.of(SETTINGS).digests("a")) == 1


def test_a_pepper_does_not_print_its_keys() -> None:
    assert "keys" not in repr(Pepper.of(SETTINGS))
