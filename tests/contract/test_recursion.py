"""Nothing that is imported lets a body of brackets end the process (py_ecc would)."""

import subprocess
import sys

import pytest

DEEP = """
import json, sys
try:
    json.loads("[" * 200_000)
except RecursionError:
    print("refused")
"""


@pytest.mark.parametrize(
    "imports", ["import citegrid.paid", "import app.wsgi", "import workers.queue.celery"]
)
def test_deep_json_is_an_error_and_no_crash(imports: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", imports + DEEP], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "refused\n"), ended.stderr
