"""An RPC between the product and the chain that fails on demand, method by method."""

import http.client
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

SECRET = "SECRET-RPC-KEY-4242"


class Proxy:
    """`faults` maps a method, or "*", to drop, lose, hide or limit.

    drop: the request never arrives; lose: it does, its answer does not; hide: the answer is null;
    limit: status 429.
    """

    def __init__(self) -> None:
        self.url = ""
        self.faults: dict[str, str] = {}
        self.asked: Counter[str] = Counter()

    def answer(self, body: bytes, chain: http.client.HTTPConnection) -> tuple[int, bytes] | None:
        """Status and body, or None for no answer at all."""
        question = json.loads(body)
        method = question["method"]
        self.asked[method] += 1
        fault = self.faults.get(method) or self.faults.get("*")
        if fault == "drop":
            return None
        if fault == "limit":
            return 429, b""
        chain.request("POST", "/", body, {"Content-Type": "application/json"})
        said = chain.getresponse().read()
        if fault == "lose":
            return None
        if fault == "hide":
            said = json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": None}).encode()
        return 200, said


@contextmanager
def proxied(upstream: str) -> Iterator[Proxy]:
    """A proxy whose URL holds a secret, as the URLs of RPC services do."""
    proxy = Proxy()

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept, here and to the chain

        def setup(self) -> None:
            super().setup()
            self.chain = http.client.HTTPConnection(urlsplit(upstream).netloc, timeout=10)

        def finish(self) -> None:
            self.chain.close()
            super().finish()

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

        def do_POST(self) -> None:
            said = proxy.answer(self.rfile.read(int(self.headers["Content-Length"])), self.chain)
            if said is None:
                self.close_connection = True
                self.connection.close()
                return
            status, body = said
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        proxy.url = f"http://127.0.0.1:{server.server_port}/v2/{SECRET}"
        try:
            yield proxy
        finally:
            server.shutdown()
