"""Which e-mail addresses are taken."""

import pytest

from app.domains.account.accounts import emails

LONG = "a" * 63


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("ada@example.org", "ada@example.org"),
        (" ada@example.org ", "ada@example.org"),
        ("Ada.L+x@Example.ORG", "Ada.L+x@example.org"),
        ("o'brien@example.org", "o'brien@example.org"),
        ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
        (f"{'a' * 64}@{LONG}.{LONG}.{'a' * 61}", f"{'a' * 64}@{LONG}.{LONG}.{'a' * 61}"),
    ],
)
def test_an_address_is_taken_with_its_domain_in_lower_case(text: str, taken: str) -> None:
    assert emails.normalise(text) == taken


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ada",
        "@example.org",
        "ada@localhost",
        "ada@example..org",
        "ada@-example.org",
        "ada@example-.org",
        "ada@example.org.",
        ".ada@example.org",
        "ada lovelace@example.org",
        "ada@example.org\n",
        "ada@evil@example.org",
        "ad\u0430@example.org",
        f"{'a' * 65}@example.org",
        f"ada@{'a' * 64}.org",
        f"{'a' * 64}@{LONG}.{LONG}.{'a' * 62}",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Not a valid e-mail address"):
        emails.normalise(text)
