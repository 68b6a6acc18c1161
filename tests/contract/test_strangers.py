"""Whatever a stranger asks for at any address, no answer is a failure of ours."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle

import pytest
from flask import Flask

from app.core.config.settings import Settings
from app.wsgi import create_app

PATHS = cycle(
    [
        "x/../app.css",
        "%00",
        "%ff",
        "%0d%0a",
        "..%2f..%2fetc",
        "a" * 2_000,
        "99999999999999999999",
        "job_aaaaaaaaaaaaaaaaaaaaaaaaaa",
        "%F0%9F%92%A9",
        "'\"<",
        "00000000-0000-0000-0000-000000000000",
    ]
)
QUERIES = cycle(
    [
        "",
        "cursor=%00",
        "limit=-1",
        "limit=99999999999999999999",
        "%ff=%ff",
        "\xff",
        "a=1&a=2&%00",
        "next=//elsewhere.example",
        "q=" + "a" * 3_000,
    ]
)
HEADERS = cycle(
    [
        ("Accept", "\xff"),
        ("Accept", "text/html"),
        ("Accept-Language", "\xff;q=a"),
        ("Accept-Encoding", "gzip;q=many"),
        ("Authorization", "Bearer \xff"),
        ("Authorization", "Basic !!!"),
        ("Cookie", "\xff=\xff; session=%00"),
        ("Host", "[::1"),
        ("If-Modified-Since", "\xff"),
        ("If-None-Match", '\xff"'),
        ("Last-Event-ID", "\xff"),
        ("PAYMENT-SIGNATURE", "e30="),
        ("Range", "bytes=9-1"),
        ("Sec-Fetch-Site", "\xff"),
        ("X-API-Key", "cgk_\xff"),
        ("X-Forwarded-For", "\xff"),
    ]
)
BODIES = cycle([b"", b"{}", b"\xff", b'{"a": 1e999}', b"a=%ff&b", b"--x\r\n"])
MEDIA_TYPES = cycle(
    [
        "application/json",
        "application/json; charset=\xff",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
    ]
)


def requests(app: Flask) -> Iterator[dict[str, object]]:
    """One for each method of each address; no two lists are of one length, so pairs differ."""
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) | {"PATCH"}):
            name, value = next(HEADERS)
            yield {
                "path": re.sub("<[^>]+>", lambda _: next(PATHS), rule.rule),
                "query_string": next(QUERIES),
                "method": method,
                "headers": {name: value},
                "data": next(BODIES),
                "content_type": next(MEDIA_TYPES),
            }


@pytest.fixture
def app(settings: Settings) -> Flask:
    return create_app(replace(settings, rate_limit_anonymous="1000000/second"))


def test_no_answer_to_a_stranger_is_a_failure_of_ours(app: Flask) -> None:
    client = app.test_client()
    failed = []
    for asked in requests(app):
        with client.open(**asked) as answer:  # type: ignore[arg-type]
            if answer.status_code >= 500:
                failed.append((answer.status_code, asked))
    assert failed == []
