"""Whatever the releases before send is understood by the schema of this one.

An added column can break a statement of an old process that is still at work: a name that stood
for one column may then stand for two.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from app.core.config.settings import environment
from app.core.db.migrate import FOLDER, migrate
from app.local.embedded.postgres import Postgres
from tests import servers
from tests.statements import with_nulls
from tests.upgrade.releases import ROOT, recorded, unpack


def _misunderstood(url: str, sent: dict[str, str]) -> dict[str, str]:
    """What Postgres says of the statements that it cannot plan."""
    said = {}
    with psycopg.connect(url, autocommit=True) as connection:
        for name, text in sent.items():
            try:
                connection.execute(f"explain {with_nulls(text)}".encode())
            except psycopg.Error as error:
                said[name] = str(error)
    return said


@pytest.mark.parametrize("commit", recorded(), ids=lambda commit: commit[:7])
def test_the_schema_understands_what_the_release_before_sends(
    commit: str, postgres: Postgres, tmp_path: Path
) -> None:
    if reason := unpack(commit, tmp_path):
        pytest.skip(reason)
    sent = _sent_by(tmp_path)
    with servers.database(postgres, migrated=False) as old, servers.database(postgres) as new:
        migrate(old, tmp_path / FOLDER.relative_to(ROOT))
        now = _misunderstood(new, sent)
        assert len(now) < len(sent) / 20, now  # those are put together from parts
        before = _misunderstood(old, {name: sent[name] for name in now})
    assert {name: problem for name, problem in now.items() if name not in before} == {}


def _sent_by(folder: Path) -> dict[str, str]:
    """By the code in `folder`, which comes before ours."""
    printing = [sys.executable, "-m", "tests.statements"]
    given = {**environment(), "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    printed = subprocess.run(
        printing, env=given, cwd=folder, capture_output=True, check=True
    ).stdout
    sent: dict[str, str] = json.loads(printed)
    return sent
