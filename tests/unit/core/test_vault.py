"""What the vault keeps can be read in its own place with its own key, and nowhere else."""

import pytest

from app.core.vault import Unreadable, Vault

OLD, NEW = "o" * 32, "n" * 32
VAULT = Vault([NEW], "tests")


def test_what_was_sealed_is_opened() -> None:
    assert VAULT.open(VAULT.seal(b"secret", b"row 1"), b"row 1") == b"secret"


def test_the_same_secret_is_sealed_differently_each_time() -> None:
    assert VAULT.seal(b"secret", b"row 1") != VAULT.seal(b"secret", b"row 1")


@pytest.mark.parametrize(
    ("vault", "sealer", "place"),
    [
        pytest.param(VAULT, VAULT, b"row 2", id="in another place"),
        pytest.param(Vault([NEW], "others"), VAULT, b"row 1", id="for another purpose"),
        pytest.param(VAULT, Vault([OLD], "tests"), b"row 1", id="with another key"),
    ],
)
def test_a_sealed_secret_is_of_no_use(vault: Vault, sealer: Vault, place: bytes) -> None:
    with pytest.raises(Unreadable):
        vault.open(sealer.seal(b"secret", b"row 1"), place)


@pytest.mark.parametrize("at", [0, 3, 10, -1])
def test_a_changed_byte_is_noticed(at: int) -> None:
    sealed = bytearray(VAULT.seal(b"secret", b"row 1"))
    sealed[at] ^= 1
    with pytest.raises(Unreadable):
        VAULT.open(bytes(sealed), b"row 1")


@pytest.mark.parametrize("length", [0, 4, 6, 20])
def test_what_is_too_short_is_unreadable(length: int) -> None:
    with pytest.raises(Unreadable):
        VAULT.open(VAULT.seal(b"", b"row 1")[:length], b"row 1")


def test_the_previous_key_still_opens() -> None:
    sealed = Vault([OLD, ""], "tests").seal(b"secret", b"row 1")
    assert Vault([NEW, OLD], "tests").open(sealed, b"row 1") == b"secret"


def test_what_the_newest_key_sealed_is_told_by_its_beginning() -> None:
    rotating = Vault([NEW, OLD], "tests")
    sealed = Vault([OLD], "tests").seal(b"secret", b"row 1")
    assert rotating.seal(b"secret", b"row 1").startswith(rotating.current)
    assert not sealed.startswith(rotating.current)
