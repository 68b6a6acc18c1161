"""Pages that promise to run as they stand do."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.core import db
from app.core.config import Settings, environment
from app.domains.accounts import service as accounts
from tests.deployed import deployed

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "publish-an-offer.md"
EMAIL, PASSWORD = "ada@example.org", "correct horse battery"
MISSING = [name for name in ("bash", "curl", "jq") if shutil.which(name) is None]


def script(page: Path) -> str:
    """The indented lines of a page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("    "))


@pytest.mark.skipif(bool(MISSING), reason=f"the page needs {MISSING}, which is not here")
def test_the_page_about_offers_publishes_one(settings: Settings) -> None:
    with db.transaction() as tx:
        accounts.create_account(tx, EMAIL, PASSWORD)
    with deployed(settings, "web") as running:
        given = {
            **environment(),
            "PATH": f"{Path(sys.executable).parent}:{environment()['PATH']}",
            "DATABASE_URL": settings.database_url,
            "REDIS_URL": settings.redis_url,
            "SECRET_KEY": settings.secret_key,
            "SERVICE_BASE_URL": f"http://{running.address}",
            "EMAIL": EMAIL,
            "PASSWORD": PASSWORD,
        }
        command = ["bash", "-euo", "pipefail", "-c", script(PAGE)]
        done = subprocess.run(
            command, env=given, cwd=running.home, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        found = running.ask("GET", "/public/provider-offers?model=example/model-7b").json
    (offer,) = found["offers"]
    assert (offer["public_name"], offer["availability"]) == ("Cellar", "available")
    assert offer["rates"] == {"input": "0.25", "output": "1.5"}
    assert offer["provider"]["avatar_url"] == "/public/providers/ada/avatar"
    assert json.dumps(offer, separators=(",", ":")) in done.stdout
