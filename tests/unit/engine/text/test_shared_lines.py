"""Terms of texts below shared lines are those of the whole."""

from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.text import analysis
from app.engine.text.shared_lines import SharedLines

# Words, marks that join what is before them, signs at which chunks end, signs that NFKC turns into
# eighteen, and any other character.
LINES = st.lists(
    st.sampled_from(
        ["Connections", "-", "--no-cache", ".", ",000", "C#", "\u0301", "\ufdfa", "가", " "]
    )
    | st.characters(),
    max_size=40,
).map("".join)


@given(
    st.lists(LINES, max_size=4), st.lists(LINES, max_size=3), st.sampled_from(["en", "de", None])
)
@example(["\ufdfa" * 30, "\ufdfa"], ["word", "\ufdfa" * 9], "en")
@example(["Title", "C#"], ["\u0301x", "-v"], "en")
def test_terms_are_those_of_the_lines_and_the_text_together(
    lines: list[str], texts: list[str], language: str | None
) -> None:
    shared = SharedLines()
    found = [shared.terms(lines, text, language) for text in texts]
    assert found == [analysis.terms("\n".join([*lines, text]), language) for text in texts]


def test_a_shared_line_is_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    analysed = Mock(wraps=analysis.terms)
    monkeypatch.setattr(analysis, "terms", analysed)
    shared = SharedLines()
    for text in ("one", "two", "three"):
        shared.terms(["A title", "A heading"], text, "en")
    assert analysed.call_count == 2 + 3
