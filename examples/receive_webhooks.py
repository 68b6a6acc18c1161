"""Receives webhooks, checks who sent them, and handles each event once.

Run: HOOK_SECRET=whsec_... python examples/receive_webhooks.py 8907

The file events.db remembers which events were handled: the server may send one again, also after
you restarted this program.
"""

import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from citegrid.errors import InvalidSignature
from citegrid.webhooks import verify

SECRET = os.environ["HOOK_SECRET"]
MOST_BYTES = 64 * 1024
REMEMBER = "insert or ignore into events values (?)"
events = sqlite3.connect("events.db")
events.execute("create table if not exists events (id text primary key)")


def handle(event: dict[str, Any]) -> None:
    """Put your own work here. The server waits 15 seconds for the answer: queue what takes long."""
    print(event["type"], event["data"]["id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds until a sender that stops halfway is hung up on

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        if length > MOST_BYTES:
            self.send_error(413)
            return
        try:
            event = verify(self.rfile.read(length), dict(self.headers.items()), SECRET)
        except InvalidSignature:
            self.send_error(400)
            return
        with events:  # one transaction: an event is remembered only if it was handled
            if events.execute(REMEMBER, [self.headers["webhook-id"]]).rowcount:
                handle(event)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the handled events are printed already."""


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
