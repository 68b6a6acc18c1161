"""What is refused before a socket is opened to anybody, and what fits into the file limit."""

import re
import resource
import subprocess
import sys

import pytest
from gunicorn.config import Config

from app.domains.library.documents import schemas
from app.serving import GUNICORN, files, partial
from app.serving.worker import Patient
from app.wsgi import MAX_BODY_BYTES
from tests.served import ROOT

# As a release might be that changes what it never promised: the check comes before it is missed.
ANOTHER = (
    "import gunicorn, gunicorn.workers.gthread as gthread; del gthread.TConn;"
    "gunicorn.__version__ = {version!r}; import app.serving.worker"
)


@pytest.mark.parametrize("version", ["28.0.0", "27.1.0", "27.0.2"])
def test_another_gunicorn_is_refused_with_a_way_out(version: str) -> None:
    command = [sys.executable, "-c", ANOTHER.format(version=version)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert re.fullmatch(rf"app\.serving .* {GUNICORN}, .* {version}\. .*gthread.*\n", ended.stderr)


def test_the_version_that_is_checked_is_the_one_that_is_installed() -> None:
    assert f"gunicorn=={GUNICORN}\n" in (ROOT / "setup.cfg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "value"),
    [("certfile", __file__), ("proxy_protocol", "v1"), ("http_protocols", "h2,h1")],
)
def test_what_belongs_to_a_proxy_is_refused(name: str, value: str) -> None:
    config = Config()
    config.set(name, value)
    with pytest.raises(SystemExit, match=r"HTTP/1\.1"):
        Patient.check_config(config, None)


def test_the_pinned_gunicorn_is_accepted() -> None:
    Patient.check_config(Config(), None)


def test_connections_leave_files_for_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    assert files.affordable_connections(16) == 1024 - 64 - 100


def test_the_soft_file_limit_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))
    assert files.affordable_connections(16) > 4000
    assert limits[0][0] == files.WANTED_FILES


def test_the_worker_receives_what_the_application_accepts() -> None:
    assert partial.BODY_BYTES == MAX_BODY_BYTES
    assert partial.UPLOAD_BYTES == schemas.MOST_BODY_BYTES
