"""Choosing a port, parsing Procfiles."""

import re
import socket

import pytest
from honcho.environ import parse_procfile

from app.domains.library.corpora import service as corpora
from app.domains.money.payments import service as payments
from app.domains.own_data.personal_data import service as personal_data
from app.domains.queue.webhooks import outbox as webhooks
from app.domains.records.page_jobs import kinds as extractions
from app.domains.search.searches import service as searches
from app.local.embedded import up
from tests.ports import free_port


def test_a_free_port_is_taken_as_it_is() -> None:
    port = free_port()
    assert up.free_port("127.0.0.1", port) == port


def test_a_taken_port_gives_way_to_a_later_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert up.free_port("127.0.0.1", port) in range(port + 1, port + up.PORTS_TRIED)


def test_no_free_port_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(up, "PORTS_TRIED", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(up.CannotStart, match=str(port)):
            up.free_port("127.0.0.1", port)


def test_every_queue_is_served_by_a_process_of_one_machine() -> None:
    lines = parse_procfile(up.PROCFILE.read_text()).processes.values()
    served = {
        queue
        for line in lines
        for queues in re.findall(r"-Q (\S+)", line)
        for queue in queues.split(",")
    }
    assert served == {
        searches.KIND.queue,
        extractions.PAGES.queue,
        extractions.RENDER.queue,
        webhooks.KIND.queue,
        corpora.REFRESH.queue,
        payments.KIND.queue,
        personal_data.RETENTION.queue,
        "ledger",
        "campaigns",
    }
