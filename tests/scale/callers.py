"""Clients of the API of several groups: who gets no answer from one goes on with the next."""

import http.client
import json
import uuid
from typing import Any, NamedTuple

SEARCH = "/external/v1/search"


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: Any


def ask(
    address: str,
    key: str,
    method: str,
    path: str,
    body: Any = None,
    *,
    repeated: str = "",
    seconds: float = 3.0,
) -> Answer | None:
    """One request over its own connection; `repeated` is its Idempotency-Key. None: silence."""
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    if repeated:
        headers["Idempotency-Key"] = repeated
    connection = http.client.HTTPConnection(address, timeout=seconds)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return Answer(answer.status, answer.headers, json.loads(text) if text else None)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def is_ready(address: str, key: str) -> bool:
    answer = ask(address, key, "GET", "/readyz")
    return answer is not None and answer.status == 200


class Searcher:
    """Requests searches of whichever API answers, each with a key of its own."""

    def __init__(self, addresses: list[str], key: str) -> None:
        self._addresses, self._key = addresses, key
        self.accepted: set[str] = set()
        self.unanswered = 0

    def submit(self, count: int) -> None:
        """Accepted when it returns; what is refused or unanswered is repeated with its key."""
        for number in range(count):
            repeated = str(uuid.uuid4())
            while not self._submit(number, repeated):
                self._addresses.append(self._addresses.pop(0))

    def _submit(self, number: int, repeated: str) -> bool:
        body = {"query": f"lighthouse {number}"}
        answer = ask(self._addresses[0], self._key, "POST", SEARCH, body, repeated=repeated)
        if answer is None or answer.status >= 400:
            self.unanswered += 1
            return False
        self.accepted.add(answer.body["id"])
        return True

    def statuses(self, address: str) -> dict[str, str]:
        """Every search that the API knows, by id."""
        known, cursor = {}, ""
        while True:
            answer = ask(address, self._key, "GET", f"{SEARCH}?limit=200{cursor}", seconds=30.0)
            assert answer is not None
            assert answer.status == 200, answer.body
            known.update({row["id"]: row["status"] for row in answer.body["searches"]})
            if not answer.body.get("next_cursor"):
                return known
            cursor = f"&cursor={answer.body['next_cursor']}"
