"""The baseline of bench.submit: Flask, one INSERT, an identifier; no checks at all."""

import os
from typing import Any

from flask import Flask, request
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from app.core import ids

INSERT = "insert into asked (id, body) values (%s, %s)"


def serve() -> Flask:
    """What gunicorn calls in each worker process."""
    app = Flask("bare")
    pool = ConnectionPool(
        os.environ["DATABASE_URL"],
        min_size=1,
        max_size=10,
        kwargs={"autocommit": True, "prepare_threshold": 2},
        open=True,
    )

    @app.post("/search")
    def create() -> tuple[dict[str, Any], int]:
        id = ids.new()
        with pool.connection() as connection:
            connection.execute(INSERT, (id, Jsonb(request.get_json())))
        return {"id": str(id)}, 202

    return app
