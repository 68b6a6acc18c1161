"""Pages a second from the fetch to the record, beside Scrapy that fetches them and does nothing.

Run `python -m bench.extract_throughput`. 1,000 recipe pages are served on loopback. The product
reads them as one job, with its own dispatcher and one worker of two processes: robots.txt, fetch,
records with provenance, snapshots, everything kept. Both take turns; the ratio is of wall time.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import run
from typing import Any

from app import wiring
from app.core import db, ids
from app.core.config.settings import environment
from app.core.db.migrate import migrate
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.extraction import EXTRACTION
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from app.local.embedded.supervisor import Program
from bench import figures
from bench.extract.data import RECIPE, recipes

ROOT = Path(__file__).parents[1]
PAGES = 1_000
WAIT_SECONDS = 900.0
SPIDER = """
import json, sys, time
import scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = json.load(sys.stdin)
    def parse(self, response):
        pass

began = time.perf_counter()
process = CrawlerProcess({"LOG_ENABLED": False, "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False, "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
print(json.dumps([time.perf_counter() - began, crawler.stats.get_value("response_received_count")]))
"""


def main() -> None:
    given = figures.arguments(__doc__, rounds=3)
    most = 50 if given.quick else PAGES
    wiring.connect()
    with a_site(most) as urls, product(urls[0]) as read:
        read(urls[:20])  # everything is loaded
        ours, theirs = [], []
        for _ in range(1 if given.quick else given.rounds):
            theirs.append(scrapy(urls))
            ours.append(read(urls))
    rows = [
        ("Scrapy, fetched and dropped", most / min(theirs)),
        ("the product, fetched, read and kept", most / min(ours)),
    ]
    figures.table(("pages a second, best round", "pages/s"), rows)
    mine, others = ([most / x for x in seconds] for seconds in (ours, theirs))
    figures.conclude(
        "extract_throughput",
        [
            figures.compared(
                "pages read and kept",
                mine,
                "Scrapy, which drops them",
                others,
                "pages/s",
                ">=",
                0.05,
            )
        ],
        pages=most,
        product_seconds=ours,
        scrapy_seconds=theirs,
    )


@contextmanager
def a_site(most: int) -> Iterator[list[str]]:
    """The addresses of so many pages, served by a process of its own."""
    server = Program(
        "site",
        f"{sys.executable} -m bench.extract_throughput serve",
        log=figures.OUT / "site.log",
        folder=ROOT,
        environment=dict(environment()),
    )
    figures.OUT.mkdir(exist_ok=True)
    server.log.unlink(missing_ok=True)  # of the last run, with its port
    server.start()
    try:
        port = _port(server.log)
        yield [f"http://127.0.0.1:{port}/{n}" for n in range(most)]
    finally:
        server.kill()


def _port(log: Path) -> int:
    for _ in range(600):
        if log.exists() and (text := log.read_text().strip()):
            return int(text.splitlines()[-1])
        time.sleep(0.1)
    raise TimeoutError(log)


def scrapy(urls: list[str]) -> float:
    done = run(
        [sys.executable, "-c", SPIDER],
        input=json.dumps(urls),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, responses = json.loads(done.stdout.splitlines()[-1])
    if responses < len(urls):
        raise AssertionError(f"{responses} answers to {len(urls)} requests")
    return float(seconds)


@contextmanager
def product(url: str) -> Iterator[Any]:
    """A function that reads pages with the product, and says how long that took."""
    with ExitStack() as ends:
        home = figures.OUT / "throughput"
        home.mkdir(parents=True, exist_ok=True)
        postgres = ends.enter_context(Postgres(home / "pg", log=home / "pg.log"))
        redis = ends.enter_context(Redis(log=home / "redis.log"))
        migrate(postgres.url())
        variables = {
            **environment(),
            "DATABASE_URL": postgres.url(),
            "REDIS_URL": redis.url(),
            "SECRET_KEY": "x" * 32,
            "LOG_LEVEL": "WARNING",
            "C_FORCE_ROOT": "1",
            "EXTRACT_FETCH_ALLOW": url.split("/")[2],
        }
        for name, line in {
            "worker": "-m celery -A workers.main worker -Q extraction -c 2 -l WARNING"
            " --without-gossip --without-mingle --without-heartbeat",
            "dispatcher": "-m workers.queue.dispatcher",
        }.items():
            program = Program(
                name,
                f"{sys.executable} {line}",
                log=home / f"{name}.log",
                folder=ROOT,
                environment=variables,
            )
            program.start()
            ends.callback(program.kill)
        db.open(postgres.url())
        ends.callback(db.close)
        yield read_pages


def read_pages(urls: list[str]) -> float:
    body = {
        "type": EXTRACTION.name,
        "source": {"type": "urls", "urls": urls},
        "schema": RECIPE,
        "max_pages": len(urls),
        "deadline_seconds": 3_600,
    }
    began = time.perf_counter()
    with db.transaction() as tx:
        job = extractions.submit(tx, ids.new(), EXTRACTION.name, body, kept_seconds=86_400)
    while time.perf_counter() - began < WAIT_SECONDS:
        with db.reading() as reader:
            now = store.of_anybody(reader, job.id)
        if now is not None and now.ended_at is not None:
            seconds = time.perf_counter() - began
            print(
                f"  {now.done} pages, {now.failed} failed, {now.records} records: {seconds:.1f} s"
            )
            return seconds
        time.sleep(0.05)
    raise TimeoutError


def serve() -> None:
    """Serve the pages of the recipes, as often as it takes, and print the port."""
    pages = [recipe.markup.encode() for recipe in recipes()]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                while (await reader.readline()).strip():
                    pass
                path = line.split()[1].decode().strip("/")
                found = pages[int(path) % len(pages)] if path.isdigit() else b""
                status = "200 OK" if found else "404 Not Found"
                head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                writer.write(f"{head}Content-Length: {len(found)}\r\n\r\n".encode() + found)
                await writer.drain()
        except (ConnectionError, IndexError):
            pass
        finally:
            writer.close()

    async def listen() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(listen())


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        main()
