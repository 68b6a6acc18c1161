"""An account at the API: what it sends, with its credential."""

from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse


@dataclass(frozen=True)
class Caller:
    """`headers` hold its key or its token."""

    client: FlaskClient
    headers: dict[str, str]

    def ask(self, method: str, path: str, **options: Any) -> TestResponse:
        headers = {**self.headers, **options.pop("headers", {})}
        return self.client.open(path, method=method, headers=headers, **options)

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: object = None, **headers: str) -> TestResponse:
        return self.ask("POST", path, json=body, headers=headers)

    def delete(self, path: str) -> TestResponse:
        return self.ask("DELETE", path)
