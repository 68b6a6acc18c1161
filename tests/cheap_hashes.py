"""Hashes of passwords that cost nothing: one of the product takes a fifth of a second, which is for
its unit tests to show."""

from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher

from app.domains.account.accounts.sign_in import passwords


@pytest.fixture(scope="module", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """For the tests of a module, and what they share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "hasher", PasswordHasher(1, 8, 1))
        yield
