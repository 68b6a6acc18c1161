"""Chats while servers die, prices change and clients leave: charged once, or not at all."""

import itertools
import os
import signal
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import UUID

import openai
import pytest
import redis

from app.core import db, ids
from app.core.errors import AppError
from app.domains.providers.chats import service
from app.domains.providers.chats.service import ChatTerms, Selection
from app.domains.providers.providers import saved_offers
from app.domains.providers.providers.offer_rules import OfferFields
from app.domains.providers.providers.service import public_offer
from app.local.embedded.postgres import Postgres
from tests import chatting, servers
from tests.chatting import Work, text
from tests.fault import report
from tests.fault.chatting import Stage, talking

REQUEST = {"model": chatting.MODEL, "messages": [{"role": "user", "content": "hi"}]}
BUYERS = 6
LEFT = "select count(*) from chats where id > %(began)s and ended in ('client_left', 'void')"
WRONG_QUOTES = """
    select count(*) from chats join provider_offer_prices price
      on price.offer_id = chats.offer_id and price.revision = pricing_revision
    where (price.input_rate, price.output_rate) <> (chats.input_rate, chats.output_rate)
    """


def test_no_chat_has_a_wrong_quote_while_prices_change(stage: Stage, long: bool) -> None:
    each = 1_000 if long else 40
    market, outcomes = Market(stage), Counter[str]()
    seller = threading.Thread(target=market.reprice)
    seller.start()
    with ThreadPoolExecutor(BUYERS) as buyers:
        while outcomes.total() < BUYERS * each or not outcomes["accepted"]:
            outcomes.update(buyers.map(lambda _: market.bought(), range(BUYERS * each)))
    market.ended.set()
    seller.join()
    market.save_price(Decimal(1), capacity=64)
    with db.reading() as reader:
        stage.node.revision = public_offer(reader, market.offer_id).pricing_revision
    report.notes.append(f"Quotes while a seller reprices all the time: {dict(outcomes)}.")
    assert outcomes["wrong"] == stage.one(WRONG_QUOTES) == 0


class Market:
    """A seller who reprices every few milliseconds, and buyers who accept what they were shown."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.offer_id = stage, stage.node.offers[chatting.MODEL]
        self.ended = threading.Event()
        with db.reading() as reader:
            sql = "select account_id from provider_offers where id = %(id)s"
            self.owner: UUID = db.value(reader, sql, id=self.offer_id)

    def save_price(self, rate: Decimal, capacity: int = 1_000_000) -> None:
        offered = OfferFields(
            device_id=str(self.stage.node.id),
            model=chatting.MODEL,
            model_revision="r1",
            input_rate=rate,
            output_rate=rate * 2,
            public_name="cellar",
            capacity=capacity,
        )
        with db.transaction() as tx:
            saved_offers.save_offer(tx, self.owner, offered)

    def reprice(self) -> None:
        for thousandths in itertools.count(1):
            if self.ended.wait(0.002):
                return
            self.save_price(Decimal(thousandths) / 1000)

    def bought(self) -> str:
        with db.reading() as reader:
            shown = public_offer(reader, self.offer_id)
        selection, id = Selection(self.offer_id, shown.pricing_revision), ids.new()
        terms = ChatTerms("USD", Decimal(0))
        try:
            with db.transaction() as tx:
                taken = service.accept(tx, id, self.stage.account_id, REQUEST, selection, terms)
                service.void(tx, id)
        except AppError as error:
            return error.code
        rates = taken.quote.input_rate, taken.quote.output_rate
        quoted = Decimal(shown.input_rate), Decimal(shown.output_rate)
        return "accepted" if rates == quoted else "wrong"


def test_redis_flushed_within_a_chat_ends_it_with_an_error(stage: Stage) -> None:
    script = talking(stage)
    stream = stage.stream()
    next(stream)
    with redis.Redis.from_url(stage.redis.url()) as client:
        client.flushall()
    with pytest.raises(openai.APIError) as failed:
        list(stream)
    script.may_go_on.set()
    assert failed.value.code == "provider_failed"
    note("Redis flushed", stage)


def test_redis_away_within_a_chat_ends_it_with_an_error(stage: Stage) -> None:
    script = talking(stage)
    stream = stage.stream()
    next(stream)
    stage.redis.stop()
    with pytest.raises(openai.APIError) as failed:
        list(stream)
    stage.redis.start()
    script.may_go_on.set()
    assert failed.value.code == "provider_failed"
    note("Redis away", stage)


def note(fault: str, stage: Stage) -> None:
    servers.until(stage.nothing_is_held)
    last = stage.one("select ended || ', ' || cost || ' USD' from chats order by id desc limit 1")
    report.notes.append(f"{fault} within a chat: {last} charged, nothing stays held")


def test_postgres_restarted_within_a_chat_costs_the_stream_nothing(stage: Stage) -> None:
    script = talking(stage)
    stream = stage.stream()
    next(stream)
    stage.flush()
    crash(stage.postgres)
    script.may_go_on.set()  # its token is known for 5 seconds; what it says later is said again
    stage.postgres.start()
    assert next(stream).choices[0].delta.content == " world"
    list(stream)
    servers.until(stage.nothing_is_held)
    assert stage.one("select ended from chats order by id desc limit 1") == "completed"
    note("Postgres restarted", stage)


def crash(server: Postgres) -> None:
    """At once: writing a checkpoint may take longer than a node may be silent."""
    os.kill(server.pid, signal.SIGQUIT)
    servers.until(lambda: not server.running)


def test_clients_that_leave_are_charged_what_was_delivered(stage: Stage, long: bool) -> None:
    def talk(work: Work) -> None:
        while True:
            status, answer = work.push(text("word "))
            if status != 200 or answer["stop"]:  # 409: it had ended before
                return
            threading.Event().wait(0.04)

    stage.node.script, began = talk, ids.new()
    streams = [stage.stream() for _ in range(20 if long else 5)]
    for stream in streams:
        next(stream)
        stream.close()
    servers.until(stage.nothing_is_held)
    with db.reading() as reader:
        assert db.value(reader, LEFT, began=began) == len(streams)
    report.notes.append(f"Clients that left a chat: {len(streams)}, charged what was delivered")
