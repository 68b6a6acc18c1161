"""A node at work, against a server that a test makes up."""

import asyncio
from typing import Any

import anyio
import httpx
import pytest
from answers import refusal
from server_double import BEAT, TOKEN, Hurried, Notes, Server, work

from citegrid.node.identity import Identity
from citegrid.node.pace import Pace
from citegrid.node.setup import Setup
from citegrid.node.startup import node_of
from citegrid.node.tasks import kinds

IDENTITY = Identity("https://citegrid.example.org", "node_a", TOKEN)
PAGE = {"url": "https://e.example/owl", "title": "Owls", "text": "Owls\n\nWeight: 430 g"}
SCHEMA = {
    "type": "object",
    "properties": {"weight": {"type": "number"}},
    "required": ["weight"],
}
TASK: dict[str, Any] = {"objective": "Owls", "schema": SCHEMA, "most_records": 1, "page": PAGE}
RECORD = {
    "data": {"weight": 430},
    "provenance": [{"pointer": "/weight", "quote": "430", "start": 14}],
}


class Run:
    """One run of a node, until the server has nothing more for it."""

    def __init__(self, server: Server, setup: Setup | None = None) -> None:
        self.pace, self.notes = Hurried(), Notes()
        self.refused: Any = None
        asyncio.run(self._run(server, setup or Setup()))

    async def _run(self, server: Server, setup: Setup) -> None:
        leave = anyio.Event()
        transport = httpx.MockTransport(server)
        node_ready = node_of(IDENTITY, setup, self.notes, kinds, transport, self.pace)  # type: ignore[arg-type]
        with anyio.fail_after(600):
            async with node_ready as node, anyio.create_task_group() as group:
                group.start_soon(self._leave_when_idle, server, leave)
                await node.run(leave)
                self.refused = node.refused
                group.cancel_scope.cancel()

    @staticmethod
    async def _leave_when_idle(server: Server, leave: anyio.Event) -> None:
        await server.idle.wait()
        leave.set()


def lost(status: int = 409, code: str = "lease_lost") -> httpx.Response:
    return refusal(status, code, retryable=False)


def test_work_is_claimed_extended_done_and_handed_in() -> None:
    server = Server([work(**TASK)])
    Run(server)
    assert server.verbs() == ["claim", "claim", "extend", "result"] or server.verbs() == [
        "claim",
        "extend",
        "claim",
        "result",
    ]
    assert server.bodies("result") == [{"fence": 1, "output": {"records": [RECORD]}}]


def test_a_validation_is_answered_with_a_verdict() -> None:
    given = {**TASK, "record": RECORD, "require_citations": True}
    server = Server([work(kind="nodes.validation", **given)])
    Run(server)
    (result,) = server.bodies("result")
    assert result["output"] == {"verdict": "accept", "evidence": RECORD["provenance"]}


def test_the_node_says_what_it_does_and_how_much() -> None:
    server = Server()
    Run(server, Setup(work=("validation",), capacity=3))
    claim = server.bodies("claim")[0]
    assert (claim["kinds"], claim["most"]) == (["nodes.validation"], 3)
    assert server.tokens == {f"Bearer {TOKEN}"}


def test_a_claim_whose_answer_was_lost_is_repeated_with_its_key() -> None:
    server = Server([work(**TASK)], claim=[httpx.ReadError("broken")])
    Run(server)
    keys = [claim["key"] for claim in server.bodies("claim")]
    assert keys[0] == keys[1] != keys[2]


def test_the_servers_retry_after_wins() -> None:
    busy = refusal(503, "overloaded", {"Retry-After": "90"}, retryable=True)
    assert Run(Server(claim=[busy])).pace.pauses == [pytest.approx(99.0)]


def test_a_result_whose_answer_was_lost_is_sent_again() -> None:
    server = Server([work(**TASK)], result=[httpx.ReadError("broken")])
    Run(server)
    first, second = server.bodies("result")
    assert first == second


def test_what_cannot_be_done_is_declined() -> None:
    server = Server([work(page=None), work("work_b", "nodes.sculpture")])
    Run(server)
    assert [each["reason"] for each in server.bodies("decline")] == ["cannot", "cannot"]


def test_work_whose_lease_is_lost_is_given_up() -> None:
    server = Server([work(**TASK)], extend=[lost()], result=[lost()])
    run = Run(server)
    assert server.bodies("decline") == []
    assert any("lease_lost" in line for line in run.notes.lines)


def test_an_output_that_the_server_refuses_ends_nothing_else() -> None:
    refused = refusal(400, "validation_failed")
    server = Server([work(**TASK)], [work("work_b", **TASK)], result=[refused])
    Run(server)
    assert len(server.bodies("result")) == 2
    assert server.bodies("decline") == [{"fence": 1, "reason": "other"}]


def test_a_refused_token_ends_the_node() -> None:
    run = Run(Server(heartbeat=[refusal(401, "auth_invalid_token")]))
    assert run.refused.code == "auth_invalid_token"


def test_a_node_without_chats_says_that_it_serves_no_model() -> None:
    server = Server(work())
    Run(server)
    assert server.bodies("heartbeat")[0]["serving"] == []


def test_it_beats_until_it_ends_and_says_last_that_nothing_is_in_flight_or_served() -> None:
    server = Server([work(**TASK)])
    Run(server)
    assert server.bodies("heartbeat")[-1] == {"in_flight": 0, "serving": []}
    assert server.heard[-1][0] == "heartbeat"


def test_a_pause_is_told_with_its_reason() -> None:
    paused = {**BEAT, "paused_reason": "suspended by the operator"}
    notes = Run(Server(heartbeat=[httpx.Response(200, json=paused)])).notes
    assert "paused: suspended by the operator" in notes.lines


def test_a_node_that_gets_work_again_asks_at_once_whatever_it_was_told_while_paused() -> None:
    paused = {**BEAT, "paused_reason": "awaiting_approval", "next_seconds": 0.01}
    later = httpx.Response(204, headers={"Retry-After": "3600"})
    server = Server(heartbeat=[httpx.Response(200, json=paused)], claim=[later])
    Run(server)
    assert server.verbs() == ["claim", "claim"]


def test_neither_token_nor_text_of_pages_is_told() -> None:
    server = Server([work(**TASK), work("work_b", **{**TASK, "page": 5})])
    told = "\n".join(Run(server).notes.lines)
    assert "work_a" in told
    assert [secret for secret in (TOKEN, "430", "Owls", "e.example") if secret in told] == []


def test_leaving_finishes_what_is_held_and_claims_nothing_more() -> None:
    server = Server([work(**TASK)])
    server.on["extend"] = server.idle.set
    Run(server, Setup(capacity=1))
    assert server.verbs()[:3] == ["claim", "extend", "result"]


def test_pauses_after_failures_double_up_to_a_minute() -> None:
    pace = Pace(lambda: 0.5)
    assert [pace.after_failure(n) for n in (1, 2, 3, 9)] == [2, 4, 8, 60]


@pytest.mark.parametrize(("chance", "seconds"), [(0.0, 12), (0.5, 15), (1.0, 18)])
def test_heartbeats_are_up_to_a_fifth_early_or_late(chance: float, seconds: float) -> None:
    assert Pace(lambda: chance).about(15) == pytest.approx(seconds)


@pytest.mark.parametrize(("retry_after", "pause"), [(0.0, 8.0), (60.0, 66.0)])
def test_a_server_can_ask_for_a_longer_pause_and_for_no_shorter_one(
    retry_after: float, pause: float
) -> None:
    assert Pace(lambda: 0.5).after_failure(3, retry_after) == pause
