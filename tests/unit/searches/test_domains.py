"""Domains that limit a search."""

import idna
from hypothesis import example, given
from hypothesis import strategies as st
from marshmallow import ValidationError

from app.domains.search.searches.schemas import Domain

LABELS = st.text("ab1-x\u00e9A_", min_size=0, max_size=5)


def loaded(text: str) -> str | None:
    try:
        return str(Domain().deserialize(text))
    except ValidationError:
        return None


def encoded(text: str) -> str | None:
    try:
        return idna.encode(text.strip().rstrip("."), uts46=True, std3_rules=True).decode().lower()
    except idna.IDNAError:
        return None


@given(st.lists(LABELS, min_size=1, max_size=4).map(".".join))
@example("a" * 63 + ".org")
@example("a" * 64 + ".org")
@example("xn--bcher-kva.example")
@example("ab--c.example")
@example("-a.example")
def test_a_domain_that_needs_no_encoding_loads_as_the_encoder_would(text: str) -> None:
    assert loaded(text) == encoded(text)
