"""A process computes on one core: whoever imports its package first decides for numpy."""

import subprocess
import sys

import pytest

ASKED = """
import sys
import {package}
assert "numpy" not in sys.modules
import os
print(os.environ["OPENBLAS_NUM_THREADS"])
"""


PACKAGES = pytest.mark.parametrize("package", ["workers", "app.local"])


def threads(package: str, **environment: str) -> str:
    asked = ASKED.format(package=package)
    ran = subprocess.run(
        [sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


@PACKAGES
def test_linear_algebra_has_one_thread(package: str) -> None:
    assert threads(package) == "1"


@PACKAGES
def test_an_operator_may_give_it_more(package: str) -> None:
    assert threads(package, OPENBLAS_NUM_THREADS="4") == "4"
