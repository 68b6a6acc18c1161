"""An application for tests of the server: quick views, waiting, streams, a large answer."""

import os
import threading
from collections.abc import Iterator

from flask import Flask, Response, request

from tests.patience import PATIENCE_SECONDS
from tests.served import LARGE, THREADS

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 1 << 20
everybody = threading.Barrier(THREADS)
streams: set[object] = set()


@app.get("/healthz")
def healthz() -> dict[str, str]:
    return {"status": "ok"}


@app.get("/process")
def process() -> str:
    """Which process answers."""
    return str(os.getpid())


@app.post("/echo")
def echo() -> bytes:
    return request.get_data()


@app.get("/large")
def large() -> Response:
    return Response(LARGE, mimetype="application/octet-stream")


@app.get("/wait")
def wait() -> dict[str, bool]:
    threading.Event().wait(float(request.args["seconds"]))
    return {"waited": True}


@app.get("/meet")
def meet() -> tuple[dict[str, bool], int]:
    """200 when as many requests as the process has threads are here at once."""
    try:
        everybody.wait(PATIENCE_SECONDS)
    except threading.BrokenBarrierError:
        return {"met": False}, 503
    return {"met": True}, 200


@app.get("/events")
def events() -> Response:
    return Response(_told(), mimetype="text/event-stream")


def _told() -> Iterator[bytes]:
    me = object()
    streams.add(me)
    try:
        while True:
            yield b"data: again\n\n"
            threading.Event().wait(0.1)
    finally:
        streams.discard(me)


@app.get("/streams")
def count() -> dict[str, int]:
    return {"open": len(streams)}
