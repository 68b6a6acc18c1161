"""Chatting on the page of an offer: the price before, the answer, and what it cost."""

import json
import re
from decimal import Decimal

import pytest

from tests.chatting import consumer
from tests.integration.chats.conftest import Stage
from tests.visiting import Visitor

STREAM = "text/event-stream"


@pytest.fixture
def visitor(answering: Stage) -> Visitor:
    return Visitor(answering.app, answering.account_id)


def form(stage: Stage, message: str, **more: object) -> dict[str, object]:
    sent = {"message": message, "max_tokens": "50", "pricing_revision": stage.node.revision}
    return {**sent, **more}


def path(stage: Stage) -> str:
    return f"/offers/{stage.node.offer_id}"


def test_the_page_says_the_price_and_then_what_it_cost(answering: Stage, visitor: Visitor) -> None:
    before = visitor.get(path(answering)).text
    assert re.search(r"Costs at most <strong><span data-most>0\.\d+</span> USD", before)
    page = visitor.post(f"{path(answering)}/chat", form(answering, "Hi there"))
    assert page.status_code == 200
    assert "<p>Hello world</p>" in page.text
    assert "Cost 0.000013 USD: 9 tokens in, 2 out." in page.text  # at 1 and 2 USD a million
    assert [row[3] for row in answering.chats()] == [Decimal("0.000013")]


def test_what_it_costs_at_most_is_what_is_held(answering: Stage, visitor: Visitor) -> None:
    priced = visitor.post(f"{path(answering)}/chat", form(answering, "Hi", do="price")).text
    most = Decimal(re.findall(r"data-most>([0-9.]+)<", priced)[0])
    assert "Hi</textarea>" in priced
    assert answering.chats() == []
    held: list[Decimal] = []

    def look(work: object) -> None:
        held.append(answering.balances()["held"])
        work.say("Hello", usage=(9, 1))  # type: ignore[attr-defined]

    answering.node.script = look
    visitor.post(f"{path(answering)}/chat", form(answering, "Hi"))
    assert held == [most]


def test_what_was_said_before_goes_along_in_turns(answering: Stage, visitor: Visitor) -> None:
    page = visitor.post(f"{path(answering)}/chat", form(answering, "Hi\r\nthere")).text
    said = re.findall(r'name="said" value="([^"]*)"', page)
    assert said == ["Hi\nthere", "Hello world"]
    visitor.post(f"{path(answering)}/chat", form(answering, "And now?", said=said))
    assert answering.node.taken[-1].messages == [
        {"role": "user", "content": "Hi\nthere"},
        {"role": "assistant", "content": "Hello world"},
        {"role": "user", "content": "And now?"},
    ]


def test_a_form_sent_twice_is_charged_once_and_the_one_after_it_is_for_another_message(
    answering: Stage, visitor: Visitor
) -> None:
    sent = form(answering, "Hi", key="k1")
    pages = [visitor.post(f"{path(answering)}/chat", sent).text for _ in range(2)]
    assert all("<p>Hello world</p>" in page for page in pages)
    assert len(answering.chats()) == 1
    [key] = re.findall(r'name="key" value="([^"]*)"', pages[0])
    following = form(answering, "And now?", said=["Hi", "Hello world"], key=key)
    assert visitor.post(f"{path(answering)}/chat", following).status_code == 200
    assert len(answering.chats()) == 2


def test_for_a_script_the_answer_is_a_stream(answering: Stage, visitor: Visitor) -> None:
    answer = visitor.post(f"{path(answering)}/chat", form(answering, "Hi"), Accept=STREAM)
    assert answer.mimetype == STREAM
    lines = answer.get_data(as_text=True).split("\n\n")
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    words = [choice["delta"].get("content") for each in events for choice in each["choices"]]
    assert [word for word in words if word] == ["Hello", " world"]
    assert events[-1]["usage"]["cost"] == "0.000013"


def test_another_price_than_the_one_seen_is_said_and_nothing_is_charged(
    answering: Stage, visitor: Visitor
) -> None:
    sent = form(answering, "Hi", pricing_revision=answering.node.revision + 1)
    page = visitor.post(f"{path(answering)}/chat", sent)
    assert page.status_code == 409
    assert f'name="pricing_revision" value="{answering.node.revision}"' in page.text
    streamed = visitor.post(f"{path(answering)}/chat", sent, Accept=STREAM)
    assert (streamed.status_code, streamed.mimetype) == (409, "text/plain")
    assert answering.chats() == []


def test_without_credit_the_page_leads_to_the_wallet(answering: Stage) -> None:
    account_id, _ = consumer(answering.settings, "0")
    page = Visitor(answering.app, account_id).post(f"{path(answering)}/chat", form(answering, "Hi"))
    assert page.status_code == 402
    assert '<a href="/billing">Add credit</a>' in page.text
