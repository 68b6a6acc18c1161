"""Patterns of fields are for the whole text, with its last line break."""

from pathlib import Path

import pytest
from marshmallow import ValidationError

from app.core.http.fields import FullMatch
from app.domains.campaigns.campaigns.schemas import RequirementsIn
from app.domains.providers.nodes.schemas import LANGUAGE
from app.domains.providers.providers.offer_rules import RATE
from app.domains.providers.work.schemas import KEY

APP = Path(__file__).parents[3] / "app"


@pytest.mark.parametrize(
    ("pattern", "text"), [(f"^{RATE}$", "0.25"), (LANGUAGE, "en"), (KEY, "a-1")]
)
def test_a_line_break_after_the_end_is_refused(pattern: str, text: str) -> None:
    assert FullMatch(pattern)(text) == text
    with pytest.raises(ValidationError):
        FullMatch(pattern)(f"{text}\n")


def test_a_source_of_a_campaign_holds_no_line_break() -> None:
    problems = RequirementsIn().validate({"sources": ["web\n"]})
    assert 0 in problems["sources"]


def test_no_schema_takes_a_pattern_in_part() -> None:
    taking = [path for path in APP.rglob("*.py") if "validate.Regexp(" in path.read_text("utf-8")]
    assert taking == []
