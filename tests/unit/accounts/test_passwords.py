"""Which passwords are taken, and how they are hashed."""

import threading

import pytest
from argon2 import PasswordHasher, extract_parameters

from app.core.errors import Overloaded
from app.domains.accounts import passwords
from app.domains.accounts.weak_passwords import WEAK

EMAIL = "ada.lovelace@example.org"


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "hasher", PasswordHasher(1, 8, 1))


@pytest.mark.parametrize(
    "text", ["a1b2c3d9", " spaces ", "x" * 127 + "y", "пароль-парольный", "👍👍👍👍👍👍👍1"]
)
def test_a_password_is_taken(text: str) -> None:
    assert passwords.acceptable(text, EMAIL) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a1b2c3d",
        "ab" * 65,
        "password",
        "PassWord123",
        "zzzzzzzzzzzz",
        EMAIL.upper(),
        "Ada.Lovelace",
        "a\ud800bcdefgh",
        "e\u0301" * 7,
    ],
)
def test_a_weak_or_unusable_password_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"[A-Z].*\."):
        passwords.acceptable(text, EMAIL)


def test_lengths_are_those_of_the_composed_form() -> None:
    assert passwords.acceptable("e\u0301a" * 64, EMAIL) == "\u00e9a" * 64


def test_a_huge_text_is_refused_without_composing_all_of_it() -> None:
    with pytest.raises(ValueError, match="at most 128"):
        passwords.normalise("e" + "\u0301" * 1_000_000)


def test_the_weak_list_holds_only_what_the_length_lets_through() -> None:
    assert [word for word in WEAK if len(word) < 8 or word != word.lower()] == []
    assert len(WEAK) >= 200


def test_a_hash_matches_its_password_only(cheap: None) -> None:
    encoded = passwords.hash("correct horse")
    found = [passwords.matches(encoded, text) for text in ("correct horse", "correct hors")]
    assert found == [True, False]


def test_production_hashes_follow_rfc_9106() -> None:
    found = extract_parameters(passwords.unmatchable())
    assert (found.type.name, found.memory_cost, found.time_cost, found.parallelism) == (
        "ID",
        65536,
        3,
        4,
    )


def test_a_hash_that_nobody_has_is_checked_like_any_other(cheap: None) -> None:
    real, none = passwords.hash("correct horse"), passwords.unmatchable()
    assert extract_parameters(real) == extract_parameters(none)
    assert not passwords.matches(none, "correct horse")


def test_text_that_is_no_hash_matches_nothing(cheap: None) -> None:
    assert not passwords.matches("!", "!")


def test_at_most_two_hashes_are_computed_at_once(
    cheap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 0.01)
    inside, leave = threading.Semaphore(0), threading.Event()

    class Slow:
        def hash(self, _password: str) -> str:
            inside.release()
            leave.wait(5)
            return ""

    monkeypatch.setattr(passwords, "hasher", Slow())
    threads = [threading.Thread(target=passwords.hash, args=["x"]) for _ in range(2)]
    for thread in threads:
        thread.start()
        inside.acquire(timeout=5)
    try:
        with pytest.raises(Overloaded):
            passwords.hash("x")
    finally:
        leave.set()
        for thread in threads:
            thread.join()


def test_a_failed_hash_gives_its_turn_back(cheap: None) -> None:
    for _ in range(5):
        with pytest.raises(UnicodeEncodeError):
            passwords.hash("\ud800")
    assert passwords.matches(passwords.hash("fine"), "fine")
