"""How long processes may take to start: a busy machine is no reason to give up, idling is one."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.local.embedded import children
from app.local.embedded.children import StartPatience
from tests.servers import until

LIMIT = 60.0


class Course:
    """Time, and what the processes have demanded by then."""

    def __init__(self) -> None:
        self.now = self.demanded = 0.0

    def go_on(self, seconds: float, share: float) -> None:
        self.now += seconds
        self.demanded += seconds * share


@pytest.fixture
def course(monkeypatch: pytest.MonkeyPatch) -> Course:
    made = Course()
    monkeypatch.setattr(children.time, "monotonic", lambda: made.now)
    monkeypatch.setattr(children, "_demanded_seconds", lambda _: made.demanded)
    return made


def is_over_after(course: Course, seconds: float, share: float) -> bool:
    patience = StartPatience(LIMIT, list)
    for _ in range(int(seconds)):
        course.go_on(1.0, share)
        if patience.is_over():
            return True
    return False


@pytest.mark.parametrize(
    ("seconds", "share", "is_over"),
    [(LIMIT, 0.05, False), (LIMIT + 1, 0.05, True), (100 * LIMIT, 1.0, False)],
    ids=["idle, for the limit", "idle, beyond it", "in want of a processor"],
)
def test_patience_ends_for_processes_that_are(
    course: Course, seconds: float, share: float, is_over: bool
) -> None:
    assert is_over_after(course, seconds, share) is is_over


@pytest.fixture
def busy() -> Iterator[int]:
    command = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(command, start_new_session=True) as process:
        yield process.pid
        process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell")
def test_what_a_process_demands_grows_while_it_computes_or_waits(busy: int) -> None:
    until(lambda: children._demanded_seconds([busy]) > 1.0)
    assert children._demanded_seconds([]) == 0
