"""A whole service to be fuzzed, and schemathesis as a process of its own against it.

By hand, for minutes: `python -m tests.contract.fuzzing.server --max-time 300 -n 100`.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from app.core import db, ids
from app.core.config import Settings, environment
from app.domains.accounts import service as accounts
from app.domains.accounts import sessions
from app.domains.extractions import service as extractions
from app.domains.jobs import service as jobs
from app.domains.providers import service as providers
from app.domains.searches import service as searches
from tests import builders, servers
from tests.deployed import Deployed, deployed

HERE = Path(__file__).parent
SPARE_TOKENS = 200
PAGE = "# Barn owls\n\nThe barn owl hunts at night. It weighs between 250 and 480 grams.\n"
JOB = {
    "type": "extraction",
    "source": {"type": "url", "url": "https://birds.example.org/"},
    "schema": {"type": "object", "properties": {"name": {"type": "string"}}},
    "max_pages": 1,
}
WAITING = "select id, kind from jobs where state = 'queued' order by id limit 20"
PROFILE = {
    "display_name": "Ada",
    "handle": "ada",
    "description": "",
    "website": None,
    "published": True,
}
NO_LIMIT = {
    "rate_limit_read": "1000000/second",
    "rate_limit_write": "1000000/second",
    "rate_limit_anonymous": "1000000/second",
    "queue_limit": 1_000_000,
    "account_queue_limit": 1_000_000,
    "search_deadline_seconds": 1_000_000.0,  # who works here is slow
}


@contextmanager
def fuzzable(settings: Settings) -> Iterator[Deployed]:
    """Web processes without limits, over an index, with somebody who works on the searches."""
    builders.indexed_page("https://birds.example.org/owls", PAGE)
    over = threading.Event()
    worker = threading.Thread(target=_work, args=(settings, over))
    with deployed(settings, "web", **NO_LIMIT) as running:
        tokens, things = _provider(settings)
        (running.home / "tokens").write_text("\n".join(tokens), encoding="utf-8")
        (running.home / "things").write_text("\n".join(things), encoding="utf-8")
        worker.start()
        try:
            yield running
        finally:
            over.set()
            worker.join()


def _provider(settings: Settings) -> tuple[list[str], list[str]]:
    """A token of an account with a public profile, then tokens of others; the first account's
    public offer, a job of it with a record, and the snapshot that the record is from."""
    pepper = accounts.Pepper.of(settings)
    draft = providers.draft(PROFILE)
    with db.transaction() as tx:
        account = builders.account(tx)
        providers.save_profile(tx, account, draft)
        offer_id = builders.offer(tx, account)
        providers.change_offer(tx, account, offer_id, "cellar", published=True)
        others = [builders.account(tx, f"{n}@example.org") for n in range(SPARE_TOKENS)]
        tokens = [sessions.start(tx, pepper, id).access_token for id in (account, *others)]
        job = extractions.submit(tx, account, "extraction", JOB, kept_seconds=86_400)
        job_id = ids.public(extractions.PREFIX, job.id)
        record = SimpleNamespace(
            data={"name": "owl"}, unsatisfied=(), provenance=(), candidates={}, confidence=0.9
        )
        snapshot = builders.page_of_job(tx, job_id, "https://birds.example.org/", PAGE, record)
    return tokens, [str(offer_id), job_id, ids.public(extractions.SNAPSHOT_PREFIX, snapshot)]


def _work(settings: Settings, over: threading.Event) -> None:
    """Searches are done; what would have to reach the web is cancelled."""
    while not over.wait(0.2):
        with db.reading() as reader:
            waiting = reader.execute(WAITING).fetchall()
        searching = [id for id, kind in waiting if kind == searches.KIND.name]
        builders.work(settings, *(ids.public("srch", id) for id in searching))
        for id, kind in waiting:
            if kind != searches.KIND.name:
                with db.transaction() as tx:
                    jobs.cancel(tx, id)


def schemathesis(running: Deployed, *options: str) -> subprocess.CompletedProcess[str]:
    """One run of all phases with all checks; its report is the standard output."""
    command = [
        *(sys.executable, "-m", "schemathesis.cli"),
        *("--config-file", str(HERE / "schemathesis.toml"), "run"),
        f"http://{running.address}/openapi.json",
        *("--no-color", "--continue-on-failure", *options),
    ]
    given = {
        **environment(),
        "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
        "FUZZ_TOKENS": str(running.home / "tokens"),
        "FUZZ_THINGS": str(running.home / "things"),
    }
    return subprocess.run(
        command, env=given, cwd=running.home, capture_output=True, text=True, check=False
    )


def main(options: Sequence[str]) -> int:
    """Fuzz as the options say, with servers of its own; print the report."""
    with (
        servers.postgres() as postgres,
        servers.redis() as redis,
        servers.database(postgres) as url,
    ):
        db.open(url, forgetful=2)
        settings = Settings(database_url=url, redis_url=redis.url(), secret_key="x" * 32)
        with fuzzable(settings) as running:
            done = schemathesis(running, *options)
            sys.stdout.write(done.stdout + done.stderr + _complaints(running))
        db.close()
    return done.returncode


def _complaints(running: Deployed) -> str:
    """What the web processes said that was not about a request."""
    lines = running.log("web").splitlines()
    return os.linesep.join(line for line in lines if '"event": "request' not in line)[-4000:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
