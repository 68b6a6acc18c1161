"""schemathesis: whatever is sent, no 500 and no answer that the document does not describe.

Short runs, the same each time. `make fuzz` covers the boundaries of every field as well.
"""

from app.core.config.settings import Settings
from tests.contract.fuzzing import server

EACH = ("--phases", "examples,fuzzing", "-n", "2")
IN_STEPS = ("--phases", "stateful", "-n", "8")
TAGS = ("searches", "webhooks", "api-keys")


def test_every_answer_is_as_documented(settings: Settings) -> None:
    assert server.passed(settings, *EACH) >= 200


def test_every_answer_in_a_row_of_requests_is_as_documented(settings: Settings) -> None:
    tags = [option for tag in TAGS for option in ("--include-tag", tag)]
    assert server.passed(settings, *IN_STEPS, *tags) >= 50
