"""`make demo-campaign` ends as it should: it takes minutes, so only the long form has it."""

import subprocess
import sys

import pytest

from tests.fault.stage import ROOT


def test_the_demonstration_finds_out_who_cheats_and_pays_who_does_not(long: bool) -> None:
    if not long:
        pytest.skip("takes minutes: only with --fault-jobs of 1,000 and more")
    command = [sys.executable, "-m", "bench.demo_campaign", "--port", "8790"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=840)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
