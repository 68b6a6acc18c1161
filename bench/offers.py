"""A page of 200 offers of a popular model, beside the same rows read by bare psycopg with the same
statement and written as the same JSON.

    python -m bench.offers [--rounds 300] [--sizes 10000 100000 1000000]

One database grows to each size: 50 offers a provider, a twentieth of all offers for one model, ids
and heap order at random. "page" is the view: parameters, rows, order, JSON, ETag. "request" is all
that the application does around it as well, of which one round trip to Redis and a line of log; on
a busy machine waiting for Redis to get its turn is most of the difference. Each round asks all
three for the page after the same random cursor, in turn about who goes first. Prints the plan at
each size; writes bench/out/offers.json.
"""

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import psycopg
from flask import Flask
from werkzeug.test import EnvironBuilder

from app.core import db, log
from app.core.config.settings import Settings
from app.domains.providers.providers import offer_store
from app.domains.providers.providers.offer_pages import MOST
from app.wsgi import create_app
from bench.figures import Aim, conclude, paired, percentile, table
from bench.machine import Machine, machine

PER_PROVIDER = 50
OTHER_MODELS = 400
POPULAR = "example/popular-70b"
UNLIMITED = "1000000/second"
CEILING = 1.3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    asked = parser.parse_args()
    sizes, rounds = ([5_000, 10_000], 20) if asked.quick else (asked.sizes, asked.rounds)
    with Path(os.devnull).open("w") as nowhere, machine() as started:
        log.configure("INFO", nowhere)  # lines are written, as by a server, but not here
        results = list(_run(started, sizes, rounds))
    columns = ("bare_ms", "page_ms", "page_p95_ms", "request_ms", "page_ratio", "request_ratio")
    table(
        ["offers", *(name.replace("_", " ") for name in columns)],
        [[f"{result['offers']:,}", *(result[name] for name in columns)] for result in results],
    )
    aims = [
        Aim(
            f"a page of 200 among {result['offers']:,} offers",
            result["page_ratio"],
            "<=",
            CEILING,
            "bare psycopg and JSON",
            result["page_ms"],
            result["bare_ms"],
            "ms",
        )
        for result in results
    ]
    growth = results[-1]["page_ratio"] / results[0]["page_ratio"]
    aims.append(Aim("that ratio, largest table", growth, "<=", 1.1, "smallest table"))
    conclude("offers", aims, sizes=results)


def _run(started: Machine, sizes: list[int], rounds: int) -> Iterator[dict[str, Any]]:
    url = started.database("offers")
    settings = Settings(
        database_url=url,
        redis_url=started.redis.url(),
        secret_key="x" * 32,
        rate_limit_anonymous=UNLIMITED,
    )
    made = 0
    chance = random.Random(11)
    for size in sizes:
        began = time.perf_counter()
        with psycopg.connect(url, autocommit=True) as connection:
            _grow(connection, chance, made, size)
        made = size
        print(f"\n{size:,} offers after {time.perf_counter() - began:.0f} s")
        db.open(url, size=2)
        with psycopg.connect(db.conninfo(url), autocommit=True) as connection:
            yield _measure(create_app(settings), connection, chance, size, rounds)
        db.close()


def _grow(connection: psycopg.Connection[Any], chance: random.Random, made: int, size: int) -> None:
    """COPY the rows between two sizes, as a service that has run for long would hold them."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("set local session_replication_role = replica")  # no trigger, no FK lookup
        accounts = [_id(chance) for _ in range(made // PER_PROVIDER, size // PER_PROVIDER)]
        numbered = list(enumerate(accounts, made // PER_PROVIDER))
        offers = [(_id(chance), account) for account in accounts for _ in range(PER_PROVIDER)]
        chance.shuffle(offers)
        _copy(
            cursor,
            "accounts (id, email, password_hash)",
            ((account, f"provider{n}@example.org", "none") for n, account in numbered),
        )
        _copy(
            cursor,
            "provider_profiles (account_id, display_name, handle, description, website, published)",
            (
                (a, f"Provider {n}", f"provider-{n}", "Computers in a cellar." * 3, None, True)
                for n, a in numbered
            ),
        )
        _copy(
            cursor,
            "provider_devices (account_id, device_id, in_flight, capacity, seen_at)",
            (
                (account, f"device-{d}", chance.randrange(3), 2, _seen(chance))
                for account in accounts
                for d in range(PER_PROVIDER)
            ),
        )
        placed: dict[UUID, int] = {}
        rates = [("0.25", f"{chance.randrange(1, 900) / 100}") for _ in offers]
        _copy(
            cursor,
            "provider_offers (id, account_id, device_id, model, model_revision, pricing_revision,"
            " input_rate, output_rate, public_name, published, listed)",
            (
                (
                    *(id, account, _device(placed, account), _model(chance)),
                    *("r1", 1, *rate, "cellar", True, True),
                )
                for (id, account), rate in zip(offers, rates, strict=True)
            ),
        )
        _copy(
            cursor,
            "provider_offer_prices (offer_id, revision, input_rate, output_rate)",
            ((id, 1, *rate) for (id, _), rate in zip(offers, rates, strict=True)),
        )
    connection.execute("vacuum analyze")


def _id(chance: random.Random) -> UUID:
    return UUID(int=chance.getrandbits(128), version=4)


def _copy(cursor: psycopg.Cursor[Any], target: str, rows: Iterator[tuple[Any, ...]]) -> None:
    with cursor.copy(f"copy {target} from stdin") as copy:
        for row in rows:
            copy.write_row(row)


def _seen(chance: random.Random) -> str | None:
    return chance.choice(["infinity", "infinity", "-infinity", None])


def _device(placed: dict[UUID, int], account: UUID) -> str:
    number = placed[account] = placed.get(account, -1) + 1
    return f"device-{number}"


def _model(chance: random.Random) -> str:
    return POPULAR if chance.random() < 0.05 else f"example/model-{chance.randrange(OTHER_MODELS)}"


def _measure(
    app: Flask,
    connection: psycopg.Connection[Any],
    chance: random.Random,
    size: int,
    rounds: int,
) -> dict[str, Any]:
    _explain(connection)
    cursors = [_id(chance) for _ in range(rounds)]
    rows, answer = _rows(connection), _answer(app)
    for after in cursors[:10]:
        mine, theirs = json.loads(answer(after)), json.loads(rows(after))
        assert sorted(mine["offers"], key=_offer_id) == theirs["offers"][:MOST]
    asked = {"bare": _timed(rows), "page": _page(app), "request": _timed(answer)}
    taken: dict[str, list[float]] = {name: [] for name in asked}
    for after in cursors:
        for name in chance.sample(list(asked), k=len(asked)):
            taken[name].append(asked[name](after))
    return {
        "offers": size,
        **{f"{name}_ms": median(times) for name, times in taken.items()},
        "page_p95_ms": percentile(taken["page"], 0.95),
        "page_ratio": paired(taken["page"], taken["bare"]),
        "request_ratio": paired(taken["request"], taken["bare"]),
    }


def _offer_id(offer: dict[str, Any]) -> str:
    return str(offer["offer_id"])


def _explain(connection: psycopg.Connection[Any]) -> None:
    params = {"model": POPULAR, "after": UUID(int=1 << 120)}
    explained = "explain (analyze, buffers, costs off) " + offer_store.OF_MODEL
    for (line,) in connection.execute(explained, params):
        print("   ", line)


def _rows(connection: psycopg.Connection[Any]) -> Callable[[UUID], str]:
    """The same statement, its rows as they come, and what they say as JSON."""

    def read(after: UUID) -> str:
        params = {"model": POPULAR, "after": after}
        rows = connection.execute(offer_store.OF_MODEL, params, prepare=True).fetchall()
        return json.dumps({"offers": [_as_offer(*row) for row in rows]})

    return read


def _as_offer(
    id: str,
    model: str,
    model_revision: str,
    pricing_revision: int,
    public_name: str,
    input_rate: str,
    output_rate: str,
    availability: str,
    display_name: str,
    handle: str,
    description: str,
    website: str | None,
    has_avatar: bool,
) -> dict[str, Any]:
    return {
        "offer_id": id,
        "model": model,
        "model_revision": model_revision,
        "pricing_revision": pricing_revision,
        "public_name": public_name,
        "rates": {"input": input_rate, "output": output_rate},
        "availability": availability,
        "provider": {
            "display_name": display_name,
            "handle": handle,
            "description": description,
            "website": website,
            "published": True,
            "avatar_url": f"/public/providers/{handle}/avatar" if has_avatar else None,
        },
    }


def _timed(read: Callable[[UUID], object]) -> Callable[[UUID], float]:
    """Milliseconds that one reading takes."""

    def took(after: UUID) -> float:
        began = time.perf_counter()
        read(after)
        return (time.perf_counter() - began) * 1000

    return took


def _page(app: Flask) -> Callable[[UUID], float]:
    view: Any = app.view_functions["provider-offers.discover"]

    def took(after: UUID) -> float:
        with app.request_context(_environ(after)):
            began = time.perf_counter()
            answer = view()
            seconds = time.perf_counter() - began
        assert answer.status_code == 200
        return seconds * 1000

    return took


def _environ(after: UUID) -> dict[str, Any]:
    query = {"model": POPULAR, "cursor": str(after)}
    return EnvironBuilder("/public/provider-offers", query_string=query).get_environ()


def _answer(app: Flask) -> Callable[[UUID], bytes]:
    """A request as a server hands it to the application."""

    def read(after: UUID) -> bytes:
        said: list[str] = []

        def start(status: str, *_: object) -> Callable[[bytes], None]:
            said.append(status)
            return lambda _: None

        answer = app.wsgi_app(_environ(after), start)
        body = b"".join(answer)
        answer.close()  # type: ignore[attr-defined]
        assert said == ["200 OK"], said
        return body

    return read


if __name__ == "__main__":
    main()
