"""A wall that the system refuses is reported, and by a setting nothing is read without it."""

import io
import json
import time
from collections.abc import Iterator

import pytest
from prometheus_client import REGISTRY

from app.core.config.settings import BadConfiguration, Settings
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox import confinement, unconfined
from app.engine.sandbox.documents import Document
from app.engine.sandbox.reader import DocumentReader
from app.local.doctor.doctor import examine_sandbox
from tests.patience import PATIENCE_SECONDS

SETTINGS = Settings(database_url="postgresql://", redis_url="redis://", secret_key="x" * 32)
PAGE = Document(b"<p>Owls", "text/html", "utf-8", "https://example.org/", None)


class Unfiltered(DocumentReader):
    program = "tests.unit.engine.sandbox.child_without_filter"


@pytest.fixture(autouse=True)
def _as_at_the_start(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(unconfined.ConfinementPolicy, "required", False)
    unconfined.report.cache_clear()
    yield
    unconfined.report.cache_clear()


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without seccomp."""
    monkeypatch.setattr(unconfined, "missing", lambda: ["calls"])


def counted() -> float:
    name = "citegrid_reading_unconfined_total"
    return REGISTRY.get_sample_value(name, {"wall": "calls"}) or 0.0


def missing(log_lines: io.StringIO) -> list[str]:
    """What was said to be missing, by line."""
    said = map(json.loads, log_lines.getvalue().splitlines())
    return [line["missing"] for line in said if "missing" in line]


def test_a_process_that_starts_says_once_what_is_missing(
    refused: None, log_lines: io.StringIO
) -> None:
    before = counted()
    unconfined.start(required=False)
    unconfined.may_read(["calls"])
    assert missing(log_lines) == ["['calls']"]
    assert counted() == before + 1


def test_a_process_does_not_start_where_confinement_is_required(refused: None) -> None:
    with pytest.raises(BadConfiguration, match="calls"):
        unconfined.start(required=True)


def test_a_child_without_a_wall_gets_no_document_where_confinement_is_required(
    monkeypatch: pytest.MonkeyPatch, log_lines: io.StringIO
) -> None:
    monkeypatch.setattr(unconfined.ConfinementPolicy, "required", True)
    reader = Unfiltered()
    with pytest.raises(PageUnreadable):
        reader.read(PAGE, time.monotonic() + PATIENCE_SECONDS)
    assert missing(log_lines) == ["['calls']"]
    assert reader.pid is None


@pytest.mark.parametrize("greeting", [None, "", {"calls": 1}])
def test_a_child_that_does_not_say_lacks_every_wall(
    greeting: object, log_lines: io.StringIO
) -> None:
    unconfined.ConfinementPolicy.required = True
    assert not unconfined.may_read(greeting)
    assert missing(log_lines) == [str(list(confinement.WALLS))]


def test_the_doctor_warns(refused: None) -> None:
    finding = examine_sandbox(SETTINGS)
    assert (finding.verdict, "calls" in finding.what) == ("warn", True)


def test_the_doctor_finds_every_wall_here() -> None:
    assert examine_sandbox(SETTINGS).verdict == "ok"
