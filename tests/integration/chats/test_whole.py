"""Chats as a user has them: the web process, the node's program, a model server, OpenAI's client.

Then the scan: of all that, nobody finds a secret anywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import openai
import psycopg
import pytest
from citegrid import Client
from citegrid.nouns.account.api_keys import Scope
from click.testing import CliRunner

from app.cli import main
from app.core.config.settings import Settings
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import real_node, servers
from tests.deployed import Deployed, deployed
from tests.leaks import leaks
from tests.patience import PATIENCE_SECONDS
from tests.real_node import DYING, ENDLESS, MODEL, Backend, RunningNode

PROVIDER, CONSUMER = "ada@example.org", "bob@example.org"
PASSWORD = "correct horse battery"
PROMPT, WALLET = "the-password-is-opal", "wallet-of-ada-7731"
ANSWER = "so-it-is-opal-indeed"
COST = "0.014"  # 12 tokens in and 2 out at 1,000 USD a million
RATES = ("--input-rate", "1000", "--output-rate", "1000")


@dataclass
class Whole:
    """Everything that takes part, started as its owners start it."""

    settings: Settings
    service: Deployed
    backend: Backend
    node: RunningNode
    provider: Client
    offer_id: str
    keys: dict[str, str]

    def ask(self, words: str = "", **more: Any) -> Any:
        """A chat with the offer, by the official client."""
        client = openai.OpenAI(
            base_url=f"http://{self.service.address}/v1",
            api_key=self.keys["key of the consumer"],
            max_retries=0,
        )
        selection = {"offer_id": self.offer_id, "pricing_revision": 1}
        return client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": f"{PROMPT} {words}"}],
            max_tokens=200,
            extra_body={"provider_selection": selection},
            **more,
        )

    def last_chat(self) -> tuple[Any, ...]:
        """How it ended, and what it cost."""
        with psycopg.connect(self.settings.database_url) as connection:
            sql = "select ended, cost from chats order by id desc limit 1"
            return connection.execute(sql).fetchall()[0]


@pytest.fixture(scope="module")
def settings(postgres: Postgres, redis_server: Redis) -> Iterator[Settings]:
    with servers.database(postgres) as url:
        yield Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)


@pytest.fixture(scope="module")
def whole(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    home = tmp_path_factory.mktemp("node")
    variables = {"log_level": "DEBUG", "nodes_admission": "open"}
    with deployed(settings, "web", **variables) as service, real_node.backend() as backend:
        base_url = f"http://{service.address}"
        with Client(base_url) as provider, Client(base_url) as consumer:
            keys = {
                "key of the provider": _key(provider, PROVIDER, "nodes"),
                "key of the consumer": _key(consumer, CONSUMER, "chat"),
            }
            _operator(settings, "credits", "grant", CONSUMER, "100")
            login = {"SERVICE_BASE_URL": base_url, "SERVICE_API_KEY": keys["key of the provider"]}
            options = ("--backend", backend.url, "--model", MODEL, "--work", "chat", *RATES)
            with real_node.running(home, login, *options) as node:
                servers.until(lambda: provider.nodes.list().items)
                offer_id = _published(provider)
                servers.until(lambda: provider.offers.get(offer_id).availability == "available")
                yield Whole(settings, service, backend, node, provider, offer_id, keys)


def _key(client: Client, email: str, scope: Scope) -> str:
    client.accounts.create(email, PASSWORD)
    client.sign_in(email, PASSWORD)
    return client.api_keys.create("mine", [scope]).secret


def _operator(settings: Settings, *words: str) -> None:
    """`citegrid-server ...` on the server."""
    names = ("database_url", "redis_url", "secret_key")
    variables = {name.upper(): getattr(settings, name) for name in names}
    outcome = CliRunner().invoke(main, words, env=variables, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output


def _published(provider: Client) -> str:
    provider.provider_profile.save("Ada", "ada", "", None, published=True)
    (offer,) = provider.own_offers.list().items
    provider.own_offers.update(offer.offer_id, "Cellar", True)
    return str(offer.offer_id)


def test_a_streamed_chat_ends_with_its_cost(whole: Whole) -> None:
    events = list(whole.ask(stream=True))
    assert "".join(e.choices[0].delta.content or "" for e in events if e.choices) == ANSWER
    assert events[-1].usage.cost == COST


def test_a_backend_that_dies_within_a_stream_ends_it_with_an_error(whole: Whole) -> None:
    stream = whole.ask(DYING, stream=True)
    assert next(stream).choices[0].delta.content
    with pytest.raises(openai.APIError) as failed:
        list(stream)
    assert failed.value.code == "provider_failed"


def test_a_client_that_leaves_ends_the_request_to_the_backend(whole: Whole) -> None:
    stream = whole.ask(ENDLESS, stream=True)
    next(stream)
    stream.close()
    assert whole.backend.abandoned.wait(PATIENCE_SECONDS)
    servers.until(lambda: whole.last_chat()[0] == "client_left")
    assert whole.last_chat()[1] > 0


def test_nobody_but_the_provider_and_the_two_clients_reads_a_secret(whole: Whole) -> None:
    whole.ask()
    list(whole.ask(stream=True))
    whole.provider.payouts.request("USD", Decimal("0.01"), WALLET)
    assert PROMPT in whole.backend.requests[0]["messages"][0]["content"]
    secrets = {
        "prompt": PROMPT,
        "answer": ANSWER,
        "first words of an answer": whole.backend.words[0],
        "node token": whole.node.identity["node_token"],
        "payout destination": WALLET,
        "password": PASSWORD,
        **whole.keys,
    }
    found = leaks(
        secrets,
        database_url=whole.settings.database_url,
        redis_url=whole.settings.redis_url,
        logs={"web": whole.service.log("web"), "the node": whole.node.log},
    )
    assert found == ["payout destination in the table payouts"]  # where operators read it
