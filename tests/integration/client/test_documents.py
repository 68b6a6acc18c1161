"""What the documents show is what happens: their snippets run against a real server."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.config import environment
from tests.deployed import ROOT
from tests.integration.client.conftest import Server

PAGES = ("client/README.md", "docs/how-to/use-the-client.md")
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _snippets() -> Iterator[Any]:
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            yield pytest.param(block[1], block[2], id=f"{name}:{line}")


@pytest.mark.parametrize(("language", "code"), list(_snippets()))
def test_a_snippet_runs(language: str, code: str, server: Server, tmp_path: Path) -> None:
    bin = Path(sys.executable).parent
    programs = {"python": [sys.executable, "-W", "error", "-c"], "sh": ["sh", "-euc"]}
    done = subprocess.run(
        [*programs[language], code],
        cwd=tmp_path,
        env={
            "PATH": f"{bin}:{environment()['PATH']}",
            "LANG": "C.UTF-8",
            "XDG_CONFIG_HOME": str(tmp_path),
            "SERVICE_BASE_URL": server.url,
            "SERVICE_API_KEY": server.api_key,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout or "> " in code
