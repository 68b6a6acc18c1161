"""schemathesis: whatever is sent, no 500 and no answer that the document does not describe.

Short runs, the same each time. A long one: `python -m tests.contract.fuzzing.server`.
"""

import re

import pytest

from app.core.config import Settings
from tests.contract.fuzzing import server

RUNS = {
    "each operation": (500, "--phases", "examples,coverage,fuzzing", "-n", "2"),
    "searches in steps": (50, "--phases", "stateful", "--include-tag", "searches", "-n", "8"),
    "webhooks in steps": (50, "--phases", "stateful", "--include-tag", "webhooks", "-n", "8"),
    "keys in steps": (50, "--phases", "stateful", "--include-tag", "api-keys", "-n", "8"),
}
"""The fewest cases that must have passed, and the options of the run."""


@pytest.mark.parametrize(("least", "options"), [(n, o) for n, *o in RUNS.values()], ids=RUNS.keys())
def test_every_answer_is_as_documented(settings: Settings, least: int, options: list[str]) -> None:
    with server.fuzzable(settings) as running:
        done = server.schemathesis(running, "--generation-deterministic", *options)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) generated, \1 passed", done.stdout)
    assert passed is not None, done.stdout[-2000:]
    assert int(passed[1]) >= least
