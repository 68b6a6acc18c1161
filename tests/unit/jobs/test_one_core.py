"""A worker process computes on one core: whoever imports it first decides for numpy."""

import subprocess
import sys

ASKED = """
import sys
import workers
assert "numpy" not in sys.modules
import os
print(os.environ["OPENBLAS_NUM_THREADS"])
"""


def threads(**environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", ASKED], env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def test_linear_algebra_of_a_worker_has_one_thread() -> None:
    assert threads() == "1"


def test_an_operator_may_give_it_more() -> None:
    assert threads(OPENBLAS_NUM_THREADS="4") == "4"
