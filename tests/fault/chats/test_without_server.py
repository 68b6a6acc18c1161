"""The process that holds a chat's client is killed. It is not started again, so this comes last."""

import os
import signal

import pytest

from tests import servers
from tests.fault import report
from tests.fault.chatting import Stage, talking
from tests.fault.stage import children

LAST = "select ended || ' ' || cost from chats order by id desc limit 1"


def test_the_clients_process_killed_costs_nothing(stage: Stage, long: bool) -> None:
    script = talking(stage)
    stream = stage.stream()
    next(stream)
    for pid in (stage.clients.pid, *children(stage.clients)):
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(Exception):  # noqa: B017, PT011 (a broken connection, by any name)
        list(stream)
    script.may_go_on.set()
    if not long:
        stage.expire_leases()
    servers.until(stage.nothing_is_held)
    assert stage.one(LAST) == "lost 0.000000000"
    report.notes.append(
        "The server killed within a chat: lost, nothing charged, nothing stays held"
    )
