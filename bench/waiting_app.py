"""The application with a stand-in for chats: streams of 20 chunks a second, each with its time."""

import time
from collections.abc import Iterator

from flask import Flask, Response

from app.core.http import public
from app.wsgi import serve as serve_product
from tests import node_work

CHUNKS, GAP_SECONDS = 100, 0.05


def serve() -> Flask:
    """What gunicorn calls."""
    node_work.connect()
    app = serve_product()
    app.add_url_rule("/bench/stream", "bench.stream", public(_stream))
    return app


def _stream() -> Response:
    def chunks() -> Iterator[bytes]:
        for _ in range(CHUNKS):
            time.sleep(GAP_SECONDS)
            yield f"data: {time.time()}\n\n".encode()

    return Response(chunks(), mimetype="text/event-stream")
