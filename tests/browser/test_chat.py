"""A chat on the page of an offer, with a node that answers."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.core import db
from tests import builders, chatting
from tests.browser.site import Site


@pytest.fixture(scope="module")
def node(site: Site) -> Iterator[chatting.Node]:
    with db.transaction() as tx:
        builders.credit(tx, site.account, "10")
    site.app.extensions["chats"].limits = chatting.PATIENT
    node = chatting.provider(site.settings, site.address)
    node.start()
    yield node
    node.stop()


def test_an_answer_comes_word_by_word_with_its_cost_and_the_next_knows_it(
    visit: Any, node: chatting.Node, check: Callable[..., None]
) -> None:
    page = visit(f"/offers/{node.offer_id}")
    most = page.locator("[data-most]")
    before = float(most.inner_text())
    page.get_by_label("Message").fill("Why is the sky blue, and why is it red in the evening?")
    assert float(most.inner_text()) > before
    page.get_by_role("button", name="Send").click()  # one click
    page.get_by_text("Cost 0.000013 USD: 9 tokens in, 2 out.").wait_for()
    assert page.locator(".turn.reply p").inner_text() == "Hello world"
    page.get_by_label("Message").fill("And at night?")
    page.get_by_role("button", name="Send").click()
    page.locator(".turn.reply").nth(1).get_by_text("Hello world").wait_for()
    said = [message["content"] for message in node.taken[-1].messages]
    assert said[1:] == ["Hello world", "And at night?"]
    assert page.noted.wrong == []
    check(page, "offer-chat")


def test_an_answer_that_is_stopped_is_said_to_be(visit: Any, node: chatting.Node) -> None:
    begun: list[chatting.Work] = []

    def begin(work: chatting.Work) -> None:
        begun.append(work)
        work.push(chatting.text("Hel"))

    script, node.script = node.script, begin
    page = visit(f"/offers/{node.offer_id}")
    page.get_by_label("Message").fill("Hi")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Hel", exact=True).wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()
    begun[0].push(chatting.text("lo", "stop"), done=True)
    node.script = script


def test_a_message_that_came_after_the_session_waits_for_the_signing_in(
    visit: Any, node: chatting.Node
) -> None:
    page = visit(f"/offers/{node.offer_id}", as_="newcomer")
    page.get_by_label("Message").fill("Why is the sky blue?")
    page.context.clear_cookies()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Your session has ended").wait_for()
    assert "Why+is+the+sky+blue" in page.locator("[name=sent]").input_value()


def test_without_scripts_the_price_is_shown_before_and_the_cost_after(
    visit: Any, node: chatting.Node
) -> None:
    page = visit(f"/offers/{node.offer_id}", scripts=False)
    page.get_by_label("Message").fill("Hi")
    page.get_by_role("button", name="Show price").click()
    assert float(page.locator("[data-most]").inner_text()) > 0
    page.get_by_role("button", name="Send").click()
    assert page.locator(".turn.reply p").inner_text() == "Hello world"
    assert "Cost 0.000013 USD" in page.locator("[data-cost]").inner_text()
