"""A little internet on loopback: SearXNG, Brave, and sites whose pages they return."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from app.core.config.settings import Settings
from tests.patience import PATIENCE_SECONDS

Reply = tuple[int, dict[str, str], bytes]
Content = str | Reply | threading.Event | Callable[[], str]
ENGINES = {"/search": "searxng", "/res/v1/web/search": "brave"}


def as_json(value: Any) -> Reply:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


@dataclass
class Internet:
    """Pages by path, results by engine. Notes what was asked of whom.

    A page that can be called is made anew by each fetch.
    """

    pages: dict[str, Content] = field(default_factory=dict)
    replies: dict[str, Callable[[dict[str, str]], Reply]] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    conditional: Counter[str] = field(default_factory=Counter)
    queries: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    hang: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def other(self) -> str:
        """The same pages under another host name."""
        return f"http://localhost:{self.port}"

    def configured(self, settings: Settings, *engines: str, **more: Any) -> Settings:
        """Settings under which searches ask these engines and may read these sites."""
        patience = {"web_page_seconds": 60.0, "web_engine_seconds": 60.0}
        return replace(
            settings,
            searxng_url=self.url if "searxng" in engines else "",
            brave_url=self.url,
            brave_api_key="brave-secret" if "brave" in engines else "",
            searxng_per_second=1000.0,
            brave_per_second=1000.0,
            web_fetch_allow=f"127.0.0.1:{self.port},localhost:{self.port}",
            **{**patience, **more},
        )

    def page(self, path: str, text: str, *, head: str = "") -> str:
        """Publish a page; its address."""
        paragraphs = "".join(f"<p>{part}</p>" for part in text.split("\n\n"))
        title = text.split(".")[0]
        self.pages[path] = (
            f"<html lang=en><head><title>{title}</title>{head}</head>"
            f"<body><main><h1>{title}</h1>{paragraphs}</main></body></html>"
        )
        return self.url + path

    def hanging(self, path: str, host: str = "") -> str:
        """A page that does not come before the test is over; its address."""
        self.pages[path] = self.hang
        return (host or self.url) + path

    def searxng(self, *results: Any, **more: Any) -> None:
        """What SearXNG returns: addresses, or whole results."""
        rows = [x if isinstance(x, dict) else {"url": x, "title": "t"} for x in results]
        self.replies["searxng"] = lambda _: as_json({"results": rows, **more})

    def brave(self, *results: Any) -> None:
        rows = [x if isinstance(x, dict) else {"url": x, "title": "t"} for x in results]
        self.replies["brave"] = lambda _: as_json({"web": {"results": rows}})

    def refuses(self, engine: str, status: int, **headers: str) -> None:
        self.replies[engine] = lambda _: (status, headers, b"{}")

    def hangs(self, engine: str) -> None:
        """The engine says nothing before the test is over."""

        def never(_: dict[str, str]) -> Reply:
            self.hang.wait(PATIENCE_SECONDS)
            return 503, {}, b""

        self.replies[engine] = never

    def answer(self, target: str, headers: Any) -> Reply:
        parts = urlsplit(target)
        if engine := ENGINES.get(parts.path):
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            self.queries.setdefault(engine, []).append(asked)
            reply = self.replies.get(engine)
            return reply(asked) if reply else as_json({"results": [], "web": {"results": []}})
        self.requests[parts.path] += 1
        found = self.pages.get(parts.path)
        if callable(found):
            found = found()
        if found is None:
            return 404, {}, b""
        if isinstance(found, threading.Event):
            found.wait(PATIENCE_SECONDS)
            return 503, {}, b""
        if isinstance(found, tuple):
            return found
        etag = f'"{hash(found)}"'
        if headers.get("If-None-Match") == etag:
            self.conditional[parts.path] += 1
            return 304, {"ETag": etag}, b""
        return 200, {"ETag": etag, "Content-Type": "text/html; charset=utf-8"}, found.encode()


@contextmanager
def running() -> Iterator[Internet]:
    internet = Internet()
    # Tests replace `answer` while it runs.
    with serving(lambda target, headers: internet.answer(target, headers)) as internet.port:
        try:
            yield internet
        finally:
            internet.hang.set()


@contextmanager
def serving(answer: Callable[[str, Any], Reply]) -> Iterator[int]:
    """Answer each request on loopback from its target and its headers; the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answer(self.path, self.headers)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that hangs up is no matter to the server."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
