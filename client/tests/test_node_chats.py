"""Chats through a node: what its backend says goes on in batches, whatever the backend does."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx
import pytest
from server_double import TOKEN, Server, work

from citegrid.errors import Conflict
from citegrid.node.chats.backend import Backend, BackendError
from citegrid.node.chats.batches import SILENCE_SECONDS, Batches
from citegrid.node.chats.relay import ChatRelay
from citegrid.node.identity import Identity
from citegrid.node.node_client import NodeClient
from citegrid.node.runner import WorkRefusal
from citegrid.node.startup import CHATTING
from citegrid.nouns.providers.work import WorkItem

BASE_URL = "https://citegrid.example.org"
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "SECRET"}], "max_tokens": 5}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2}


def chunk(text: str, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": more.pop("finish", None)}
    return {"object": "chat.completion.chunk", "choices": [choice], **more}


def lines(*chunks: dict[str, Any] | str) -> bytes:
    said = (each if isinstance(each, str) else json.dumps(each) for each in chunks)
    return b"".join(f"data: {each}\n\n".encode() for each in said)


def streamed(*chunks: dict[str, Any] | str) -> httpx.Response:
    headers = {"content-type": "text/event-stream; charset=utf-8"}
    return httpx.Response(200, content=lines(*chunks), headers=headers)


class ApiObject:
    """One chat: what the backend was asked, what the server heard, and how it ended."""

    def __init__(self, *replies: httpx.Response | Exception, server: Server | None = None) -> None:
        self.asked: list[dict[str, Any]] = []
        self._replies = list(replies)
        self.server = server or Server()
        self.said, self.declined = asyncio.run(self._run())

    def _backend(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(json.loads(request.content))
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def _run(self) -> tuple[str, str]:
        identity = Identity(BASE_URL, "node_a", TOKEN)
        client = NodeClient(identity, CHATTING, httpx.MockTransport(self.server))
        backend = Backend("http://127.0.0.1:9", ["m"], None, httpx.MockTransport(self._backend))
        chats = ChatRelay(backend, client)
        item = WorkItem(**{**work(kind="chats.completion"), "input": {"request": REQUEST}})
        try:
            with anyio.fail_after(600):
                return await chats.answer(item), ""
        except WorkRefusal as refusal:
            return "", refusal.reason
        finally:
            await backend.close()
            await client.aclose()

    @property
    def batches(self) -> list[dict[str, Any]]:
        return self.server.bodies("chunks")

    @property
    def passed_on(self) -> list[dict[str, Any]]:
        return [chunk for batch in self.batches for chunk in batch["data"]]


def test_chunks_are_passed_on_in_order_and_numbered() -> None:
    chunks = [chunk("a"), chunk("b", finish="stop"), {"choices": [], "usage": USAGE}]
    chat = ApiObject(streamed(*chunks, "[DONE]"))
    assert chat.passed_on == chunks
    assert [batch["seq"] for batch in chat.batches] == list(range(len(chat.batches)))
    assert (chat.batches[-1]["done"], chat.batches[-1]["usage"]) == (True, USAGE)


def test_the_backend_is_asked_to_count_as_it_streams() -> None:
    (asked,) = ApiObject(streamed(chunk("a", finish="stop"))).asked
    assert asked["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}
    assert (asked["stream"], asked["messages"]) == (True, REQUEST["messages"])


def test_a_backend_that_knows_fewer_options_is_asked_again() -> None:
    refused = httpx.Response(400, json={"error": {"message": "unknown stream_options"}})
    chat = ApiObject(refused, refused, streamed(chunk("a", finish="stop")))
    assert [asked.get("stream_options") for asked in chat.asked][1:] == [
        {"include_usage": True},
        None,
    ]


def test_a_request_that_is_refused_with_any_options_costs_others_none() -> None:
    refused = httpx.Response(400, json={"error": {"message": "no such role in 'stream'"}})
    replies, asked = [*[refused] * 3, streamed(chunk("a", finish="stop"))], list[Any]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content).get("stream_options"))
        return replies.pop(0)

    async def ask_twice() -> None:
        backend = Backend("http://127.0.0.1:9", ["m"], None, httpx.MockTransport(answer))
        with pytest.raises(BackendError):
            [_ async for _ in backend.chunks(REQUEST)]
        [_ async for _ in backend.chunks(REQUEST)]
        await backend.close()

    asyncio.run(ask_twice())
    assert asked[3] == asked[0]


def test_an_answer_that_is_not_streamed_becomes_chunks() -> None:
    text = "x" * 9_000
    message = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    chat = ApiObject(httpx.Response(200, json={"choices": [message], "usage": USAGE}))
    parts = [piece["choices"][0]["delta"]["content"] for piece in chat.passed_on]
    assert ("".join(parts), max(map(len, parts))) == (text, 4_000)
    assert chat.batches[-1]["usage"] == USAGE


def deltas(chat: ApiObject) -> list[dict[str, Any]]:
    return [each["choices"][0]["delta"] for each in chat.passed_on if each["choices"]]


@pytest.mark.parametrize("name", ["content", "reasoning_content"])
def test_a_text_in_one_long_line_goes_on_in_pieces(name: str) -> None:
    long = {"choices": [{"delta": {name: "\u732b" * 50_000}, "finish_reason": "stop"}]}
    said = deltas(ApiObject(streamed(long)))
    assert "".join(delta[name] for delta in said) == "\u732b" * 50_000
    assert max(len(json.dumps(delta)) for delta in said) < 30_000


@pytest.mark.parametrize("key", ["delta", "message"])
def test_a_text_in_parts_is_a_text(key: str) -> None:
    parts = [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "a"}, "b"]
    body = {"choices": [{key: {"content": parts}, "finish_reason": "stop"}]}
    reply = streamed(body) if key == "delta" else httpx.Response(200, json=body)
    assert [delta["content"] for delta in deltas(ApiObject(reply))] == ["ab"]


def test_arguments_that_are_an_object_become_their_json() -> None:
    call = {"function": {"name": "save", "arguments": {"n": 1}}}
    body = {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "stop"}]}
    (delta,) = deltas(ApiObject(streamed(body)))
    assert delta["tool_calls"][0]["function"] == {"name": "save", "arguments": '{"n": 1}'}


def test_long_arguments_of_a_tool_go_on_in_pieces_with_its_name_once() -> None:
    function = {"name": "save", "arguments": "x" * 9_000}
    message = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b", "function": function}]}
    chat = ApiObject(httpx.Response(200, json={"choices": [{"message": message}]}))
    calls = [call for delta in deltas(chat) for call in delta["tool_calls"] if "function" in call]
    assert [(call["index"], call.get("id")) for call in calls] == [(1, "b"), (1, None), (1, None)]
    assert "".join(call["function"].get("name", "") for call in calls) == "save"
    assert "".join(call["function"]["arguments"] for call in calls) == "x" * 9_000


@pytest.mark.parametrize(
    "counts",
    [
        {},
        "none",
        {**USAGE, "completion_tokens": None},
        {**USAGE, "prompt_tokens": 2**31},
        {"prompt_tokens": "3", "completion_tokens": None},
    ],
)
def test_counts_of_another_form_cost_no_answer(counts: Any) -> None:
    chat = ApiObject(streamed(chunk("a", finish="stop", usage=counts)))
    assert [each["usage"] for each in chat.passed_on] == [None]
    assert chat.batches[-1].get("usage") is None


def test_an_error_that_is_null_is_none() -> None:
    chat = ApiObject(streamed(chunk("a", finish="stop", error=None)))
    assert "error" not in chat.batches[-1]


def test_a_chunk_without_choices_is_one_of_none() -> None:
    chat = ApiObject(streamed(chunk("a", finish="stop"), {"choices": None, "usage": USAGE}))
    assert chat.passed_on[-1]["choices"] == []


def test_what_the_server_takes_in_no_text_is_replaced() -> None:
    chat = ApiObject(streamed(chunk("a\0b\ud83d", finish="stop")))
    assert deltas(chat)[0]["content"].startswith("a\ufffdb\ufffd")


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (streamed(chunk("a")), "backend_incomplete"),
        (streamed(chunk("a" * 1_100_000)), "backend_incomplete"),
        (streamed("no json"), "backend_incomplete"),
        (streamed({"error": {"message": "SECRET"}}), "backend_unavailable"),
        (httpx.Response(200, json={"choices": []}), "backend_incomplete"),
        (httpx.Response(500, text="SECRET"), "backend_unavailable"),
        (httpx.Response(422, json={"error": "SECRET"}), "backend_refused"),
        (httpx.Response(401, json={"error": "SECRET"}), "backend_unavailable"),
        (httpx.Response(404, json={"error": "SECRET"}), "backend_unavailable"),
        (
            httpx.Response(400, json={"error": {"code": "context_length_exceeded"}}),
            "context_length_exceeded",
        ),
        (httpx.ConnectError("SECRET"), "backend_unavailable"),
    ],
)
def test_a_failing_backend_ends_the_chat_with_a_code_and_no_word_of_the_prompt(
    reply: httpx.Response | Exception, code: str
) -> None:
    last = ApiObject(reply).batches[-1]
    assert (last["done"], last["error"]["code"]) == (True, code)
    assert "SECRET" not in json.dumps(last)


def test_a_busy_backend_gives_the_chat_back() -> None:
    assert ApiObject(httpx.Response(429)).declined == "overloaded"


def test_a_model_that_is_not_served_is_declined() -> None:
    request = {**REQUEST, "model": "other"}
    item = WorkItem(**{**work(kind="chats.completion"), "input": {"request": request}})
    chats = ChatRelay(Backend("http://127.0.0.1:9", ["m"]), None)  # type: ignore[arg-type]
    with pytest.raises(WorkRefusal, match="cannot"):
        asyncio.run(chats.answer(item))


class Endless(httpx.AsyncByteStream):
    """A backend that never ends; `closed` once the node has hung up."""

    closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield lines(chunk("a", usage=USAGE))
            await anyio.sleep(0.001)

    async def aclose(self) -> None:
        self.closed = True


def test_a_stop_aborts_the_backends_request() -> None:
    stream = Endless()
    reply = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=stream)
    stop = httpx.Response(200, json={"stop": True})
    chat = ApiObject(reply, server=Server(chunks=[stop]))
    assert stream.closed
    assert chat.batches[-1] == {"fence": 1, "seq": 1, "data": [], "done": True, "usage": USAGE}


def test_a_batch_whose_answer_was_lost_is_sent_again_under_its_number() -> None:
    server = Server(chunks=[httpx.ReadError("broken")])
    chat = ApiObject(streamed(chunk("a", finish="stop"), "[DONE]"), server=server)
    assert chat.batches[0] == chat.batches[1]


def test_how_a_chat_went_is_told_without_its_words() -> None:
    said = ApiObject(streamed(chunk("a", finish="stop", usage=USAGE))).said
    assert "2 tokens" in said
    assert "SECRET" not in said


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def batching() -> tuple[Batches, Clock, list[Any]]:
    clock, posted = Clock(), list[Any]()

    async def post(seq: int, data: list[Any], *rest: Any) -> bool:
        posted.append((seq, data, *rest))
        return False

    return Batches(post, clock), clock, posted


def test_the_first_batch_goes_at_once_and_the_next_after_a_gap_or_4_kilobytes() -> None:
    batches, clock, _ = batching()

    async def use() -> list[float]:
        waited = [batches.patience()]
        await batches.add(chunk("a"))
        waited.append(batches.patience())
        await batches.send()
        clock.now = 0.01
        await batches.add(chunk("b"))
        waited.append(batches.patience())
        await batches.add(chunk("c" * 4096))
        return [*waited, batches.patience()]

    assert asyncio.run(use()) == pytest.approx([SILENCE_SECONDS, 0.0, 0.03, 0.0])


def test_a_batch_never_outgrows_what_the_server_takes() -> None:
    batches, _, posted = batching()

    async def use() -> None:
        for _ in range(3):
            await batches.add(chunk("x" * 30_000))
        await batches.send(done=True)

    asyncio.run(use())
    assert [len(data) for _, data, *_ in posted] == [1, 1, 1]


def test_a_chat_that_the_server_has_given_up_ends_with_what_it_said() -> None:
    gone = httpx.Response(409, json={"error": {"code": "lease_lost", "message": "No."}})
    with pytest.raises(Conflict):
        ApiObject(streamed(chunk("a", finish="stop"), "[DONE]"), server=Server(chunks=[gone]))


def test_a_proxy_of_the_environment_does_not_see_what_a_backend_of_this_machine_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example.org:3128")
    assert Backend("http://127.0.0.1:8000", ["m"])._http._mounts == {}
