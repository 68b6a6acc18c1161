"""A receiver of webhooks that keeps what came, by the id of each message."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Message(NamedTuple):
    """One delivery as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Accepts everything. A message may come several times, always with the same content."""

    def __init__(self) -> None:
        self.port = 0
        self._lock = threading.Lock()
        self._by_path: dict[str, dict[str, list[Message]]] = defaultdict(dict)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def keep(self, message: Message) -> None:
        with self._lock:
            by_id = self._by_path[message.path]
            by_id.setdefault(message.headers.get("webhook-id", ""), []).append(message)

    def at(self, path: str) -> dict[str, list[Message]]:
        """What came to this path, by `webhook-id`."""
        with self._lock:
            return {id: list(messages) for id, messages in self._by_path.get(path, {}).items()}


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.keep(Message(self.path, headers, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A sender that is killed hangs up."""

    server = Server(("127.0.0.1", 0), Handler)
    receiver.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
