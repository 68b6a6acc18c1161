"""schemathesis: whatever is sent, no 500 and no answer that the document does not describe.

Short runs, the same each time. A long one: `python -m tests.contract.fuzzing.server`.
"""

import re

import pytest

from app.core.config import Settings
from tests.contract.fuzzing import server

MAX_SECONDS = "6"
RUNS = {
    "each operation": ("--phases", "examples,coverage,fuzzing", "--max-examples", "3"),
    "searches in steps": (*("--phases", "stateful", "--include-tag", "searches"), "-n", "10"),
    "keys in steps": (*("--phases", "stateful", "--include-tag", "api-keys"), "-n", "10"),
}


@pytest.mark.parametrize("options", RUNS.values(), ids=RUNS.keys())
def test_every_answer_is_as_documented(settings: Settings, options: tuple[str, ...]) -> None:
    with server.fuzzable(settings) as running:
        done = server.schemathesis(
            running, "--generation-deterministic", "--max-time", MAX_SECONDS, *options
        )
        reached = set(re.findall(r'"path": "(\S+)", "status": 200', running.log("web")))
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) generated, \1 passed", done.stdout)
    assert passed is not None, done.stdout[-2000:]
    assert int(passed[1]) > 100
    assert len(reached) > 1
