"""schemathesis: whatever is sent, no 500 and no answer that the document does not describe.

A short run, the same each time. A long one: `python -m tests.contract.fuzzing.server`.
"""

import re

from app.core.config import Settings
from tests.contract.fuzzing import server

MAX_SECONDS = 30


def test_every_answer_is_as_documented(settings: Settings) -> None:
    with server.fuzzable(settings) as running:
        done = server.schemathesis(
            running,
            *("--generation-deterministic", "--max-examples", "3"),
            *("--max-time", str(MAX_SECONDS), "--warnings", "off"),
        )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    cases = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert cases is not None, done.stdout[-2000:]
    assert int(cases[2]) > 500
