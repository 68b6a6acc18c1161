"""How long the page of 10,000 jobs takes beside the operations of the API that it shows.

Both in one process without a network, in turns: what disturbs one disturbs the other.
"""

import time
from collections.abc import Callable
from statistics import median

from flask import Flask

from app.core import db, ids, log
from app.core.config.settings import Settings
from app.core.http.access import SESSION_COOKIE
from app.domains.account.accounts import store as accounts_store
from app.domains.account.accounts.service import set_operator
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.wsgi import create_app
from bench import figures
from bench.machine import machine

JOBS = 10_000
PAGE = "/ops/jobs"
SHOWN = ("/v1/operations/jobs?limit=50", "/v1/operations/jobs/counts")
ORIGIN = "https://localhost"
EMAIL = "operator@example.org"

FILL = """
    insert into jobs (id, account_id, queue, kind, state, attempt, max_attempts, deadline_at,
                      started_at, finished_at, error)
    select gen_random_uuid(), gen_random_uuid(), 'searches', 'searches.answer',
           case n % 10 when 0 then 'failed' else 'succeeded' end, 1, 4, now(), now(), now(),
           case n % 10 when 0 then '{"code": "worker_lost", "message": "It died."}'::jsonb end
    from generate_series(1, 10000) as n
    """


def main() -> None:
    wanted = figures.arguments(__doc__, rounds=60)
    log.configure("WARNING")
    rounds = 5 if wanted.quick else wanted.rounds
    with machine(wanted.folder) as servers:
        settings = Settings(
            database_url=servers.database("pages"),
            redis_url=servers.redis.url(),
            secret_key="x" * 32,
            embeddings_packaged=False,
            rate_limit_read="1000000/minute",
        )
        db.open(settings.database_url, size=2)
        try:
            taken = measure(create_app(settings), settings, rounds)
        finally:
            db.close()
    rows = [(name, 1e3 * median(seconds)) for name, seconds in taken.items()]
    figures.table((f"of {JOBS:,} jobs", "p50 ms"), rows)
    milliseconds = {name: [1e3 * x for x in seconds] for name, seconds in taken.items()}
    aim = figures.compared(
        "the page of 10,000 jobs",
        milliseconds["the page"],
        "the operations it shows",
        milliseconds["the operations"],
        "ms",
        "<=",
        1.5,
    )
    figures.conclude("pages", [aim], milliseconds=dict(rows))


def measure(app: Flask, settings: Settings, rounds: int) -> dict[str, list[float]]:
    """Seconds of each round."""
    page, operations = visits(app, settings)
    sides: dict[str, Callable[[], None]] = {"the operations": operations, "the page": page}
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for round in range(-3, rounds):
        for name, visit in sides.items():
            began = time.perf_counter()
            visit()
            if round >= 0:
                taken[name].append(time.perf_counter() - began)
    return taken


def visits(app: Flask, settings: Settings) -> tuple[Callable[[], None], Callable[[], None]]:
    """Opening the page as an operator, and calling what it shows as the same one."""
    pepper, browser = Pepper.of(settings), sessions.Browser("bench", "127.0.0.0/24")
    with db.transaction() as tx:
        tx.execute(FILL)
        account = accounts_store.insert_account(tx, ids.new(), EMAIL, "no password fits")
        assert account is not None
        set_operator(tx, EMAIL, operator=True)
        cookie = sessions.start_browser(tx, pepper, account.id, browser)
        token = sessions.start(tx, pepper, account.id).access_token
    with db.transaction() as tx:
        tx.execute("set local role none")
        tx.execute("analyze jobs")
    client = app.test_client(use_cookies=False)

    def get(path: str, headers: dict[str, str]) -> None:
        answer = client.get(path, base_url=ORIGIN, headers=headers)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        answer.get_data()

    def page() -> None:
        get(PAGE, {"Cookie": f"{SESSION_COOKIE}={cookie}"})

    def operations() -> None:
        for path in SHOWN:
            get(path, {"Authorization": f"Bearer {token}"})

    return page, operations


if __name__ == "__main__":
    main()
