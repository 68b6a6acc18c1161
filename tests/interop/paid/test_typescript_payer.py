"""The official TypeScript client of x402 pays the same server and reads what it bought."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.chains.node import MERCHANT, PAYER, ROOT, Chain

HERE = Path(__file__).parent
INSTALLED = ROOT / ".node" / "paid"

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed"),
    pytest.mark.skipif(
        not (INSTALLED / "node_modules" / "@x402" / "fetch").is_dir(),
        reason="the client is not installed: make interop",
    ),
]


def test_the_official_client_pays_reads_and_signs_in(server: str, chain: Chain) -> None:
    script = shutil.copy(HERE / "pay.mjs", INSTALLED)  # Node looks for packages beside it
    done = subprocess.run(
        ["node", script, server, chain.network, chain.token.address],
        env={**os.environ, "PAYER_PRIVATE_KEY": "0x" + bytes(PAYER.key).hex()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said.pop("receipt")["success"] is True
    assert said == {
        "bought": 202,
        "status": "running",
        "byToken": 200,
        "byNobody": 402,
        "byWallet": 200,
        "walletReads": True,
    }
    assert chain.balance(MERCHANT) == 10_000
