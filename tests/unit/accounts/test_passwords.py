"""Which passwords are taken, and how they are hashed."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher, extract_parameters
from zxcvbn.frequency_lists import FREQUENCY_LISTS

from app.core.errors import Overloaded
from app.domains.account.accounts.sign_in import passwords
from tests.patience import PATIENCE_SECONDS

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
        "Citegrid2026",
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


def test_3000_of_the_most_common_passwords_that_are_long_enough_are_refused() -> None:
    """ASVS 5, 6.2.4."""
    common = [word for word in FREQUENCY_LISTS["passwords"] if len(word) >= 8][:3000]
    assert len(common) == 3000
    for word in common:
        with pytest.raises(ValueError, match="common"):
            passwords.acceptable(word.title(), EMAIL)


@pytest.fixture
def lane() -> passwords.Lane:
    return passwords.Lane(places=2)


@pytest.fixture
def hashing(lane: passwords.Lane) -> Iterator[passwords.HashingSlot]:
    with lane.enter() as hashing:
        yield hashing


def test_a_hash_matches_its_password_only(cheap: None, hashing: passwords.HashingSlot) -> None:
    encoded = hashing.hash("correct horse")
    matched = [hashing.matches(encoded, text) for text in ("correct horse", "correct hors")]
    assert matched == [True, False]


def test_production_hashes_follow_rfc_9106() -> None:
    found = extract_parameters(passwords.unmatchable())
    assert (found.type.name, found.memory_cost, found.time_cost, found.parallelism) == (
        "ID",
        65536,
        3,
        4,
    )


def test_a_hash_that_nobody_has_is_checked_like_any_other(
    cheap: None, hashing: passwords.HashingSlot
) -> None:
    real, none = hashing.hash("correct horse"), passwords.unmatchable()
    assert extract_parameters(real) == extract_parameters(none)
    assert not hashing.matches(none, "correct horse")


def test_text_that_is_no_hash_matches_nothing(cheap: None, hashing: passwords.HashingSlot) -> None:
    assert not hashing.matches("!", "!")


def test_a_full_lane_refuses_at_once(lane: passwords.Lane) -> None:
    with lane.enter(), lane.enter(), pytest.raises(Overloaded) as refused, lane.enter():
        pass
    assert int(refused.value.headers["Retry-After"]) >= 1


def test_who_leaves_the_lane_makes_room(lane: passwords.Lane) -> None:
    for _ in range(5):
        with lane.enter(), lane.enter():
            pass


def test_at_most_two_hashes_are_computed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, leave = threading.Semaphore(0), threading.Event()

    class Slow:
        def hash(self, _password: str) -> str:
            inside.release()
            leave.wait(PATIENCE_SECONDS)
            return ""

    monkeypatch.setattr(passwords, "hasher", Slow())
    lane = passwords.Lane(places=3)

    def hash() -> None:
        with lane.enter() as hashing:
            hashing.hash("x")

    with ThreadPoolExecutor(3) as threads:
        for _ in range(3):
            threads.submit(hash)
        begun = [inside.acquire(timeout=seconds) for seconds in (*[PATIENCE_SECONDS] * 2, 0.1)]
        leave.set()
    assert begun == [True, True, False]


def test_a_failed_hash_gives_its_turn_back(cheap: None, hashing: passwords.HashingSlot) -> None:
    for _ in range(5):
        with pytest.raises(UnicodeEncodeError):
            hashing.hash("\ud800")
    assert hashing.matches(hashing.hash("fine"), "fine")
