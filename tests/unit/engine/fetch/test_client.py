"""The fetcher's manners on the wire."""

import socket
import ssl
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.engine.fetch import FetchFailed
from tests.unit.engine.fetch.certificates import Certificate, certificate_for
from tests.unit.engine.fetch.loopback import (
    PAGE,
    POLICY,
    PUBLIC,
    Answer,
    Wires,
    always,
    by_path,
    reason_of,
    redirect,
    response_of,
    serving,
)


def reason_over_tls(answer: Answer, host: str, certificate: Certificate) -> str:
    with serving(answer, certificate.server) as server, pytest.raises(FetchFailed) as caught:
        Wires(server.port).fetcher(tls=certificate.trusting).get(f"https://{host}/")
    return caught.value.reason


def test_a_page_comes_back_with_all_that_is_known_about_it() -> None:
    answer = always(b"<p>", media_type='Text/HTML; charset="UTF-8"', headers=["ETag: 1", "ETag: 2"])
    before = datetime.now(UTC)
    response = response_of(answer, url="http://Example.com/a#b")
    assert (response.status, response.url) == (200, "http://example.com/a")
    assert (response.body, response.media_type, response.charset) == (b"<p>", "text/html", "utf-8")
    assert response.headers["etag"] == "1, 2"
    assert before <= response.fetched_at <= datetime.now(UTC)
    assert not response.conditional


def test_the_request_says_who_asks_and_asks_for_nothing_it_cannot_read() -> None:
    with serving(always()) as server:
        Wires(server.port).fetcher().get("http://example.com/a?b", headers={"accept": "text/html"})
    (seen,) = server.seen
    assert seen.line == "GET /a?b HTTP/1.1"
    assert seen.headers == {
        "host": "example.com",
        "accept": "text/html",
        "user-agent": "Citegrid/test",
        "accept-encoding": "gzip",
        "connection": "close",
    }


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(always()) as server:
        wires = Wires(server.port)
        wires.fetcher().get(PAGE)
    assert wires.dialled == [(PUBLIC, 80)]


def test_an_ipv6_literal_is_dialled_and_named_in_brackets() -> None:
    with serving(always()) as server:
        wires = Wires(server.port)
        wires.fetcher().get("http://[2606:4700:4700::1111]/")
    assert server.seen[0].headers["host"] == "[2606:4700:4700::1111]"
    assert wires.dialled == [("2606:4700:4700::1111", 80)]


def test_the_next_address_is_tried_when_one_is_dead() -> None:
    with serving(always()) as server:
        wires = Wires(server.port, {"example.com": ["2606:4700:4700::1111", PUBLIC]})

        def connect(address: str, port: int, timeout_seconds: float) -> socket.socket:
            if ":" in address:
                raise ConnectionRefusedError
            return wires.connect(address, port, timeout_seconds)

        fetcher = type(wires.fetcher())(POLICY, resolve=wires.resolve, connect=connect)
        assert fetcher.get(PAGE).body == b"hello"


def test_one_private_answer_among_public_ones_refuses_the_name() -> None:
    with serving(always()) as server:
        wires = Wires(server.port, {"example.com": [PUBLIC, "10.0.0.1"]})
        with pytest.raises(FetchFailed, match="address_not_allowed"):
            wires.fetcher().get(PAGE)
    assert wires.dialled == []


def test_a_dead_server_is_a_connect_failure_worth_another_try() -> None:
    def refuse(address: str, port: int, timeout_seconds: float) -> socket.socket:
        raise ConnectionRefusedError

    fetcher = type(Wires(0).fetcher())(POLICY, resolve=lambda host, left: [PUBLIC], connect=refuse)
    with pytest.raises(FetchFailed) as caught:
        fetcher.get(PAGE)
    assert caught.value.reason == "connect_failed"
    assert caught.value.retryable


def test_a_slow_name_lookup_is_a_timeout() -> None:
    def slow(host: str, timeout_seconds: float) -> list[str]:
        raise TimeoutError

    with pytest.raises(FetchFailed, match="timeout"):
        Wires(0).fetcher(resolve=slow).get(PAGE)


# --- conditional requests


def test_validators_make_the_request_conditional() -> None:
    with serving(always(b"", status="304 Not Modified", media_type=None)) as server:
        fetcher = Wires(server.port).fetcher()
        response = fetcher.get(PAGE, etag='"v1"', last_modified="Sat, 21 Nov 2026 06:00:00 GMT")
    assert server.seen[0].headers["if-none-match"] == '"v1"'
    assert server.seen[0].headers["if-modified-since"] == "Sat, 21 Nov 2026 06:00:00 GMT"
    assert response.not_modified


def test_a_validator_that_would_break_the_request_is_left_out() -> None:
    with serving(always()) as server:
        response = Wires(server.port).fetcher().get(PAGE, etag='"v1"\r\nX: y')
    assert "if-none-match" not in server.seen[0].headers
    assert not response.conditional


# --- redirects


def test_headers_stay_with_the_first_origin() -> None:
    pages = {"/": redirect("http://other.example.com/b"), "/b": always()}
    with serving(by_path(pages)) as server:
        fetcher = Wires(server.port).fetcher()
        response = fetcher.get(PAGE, headers={"Authorization": "Bearer s"}, etag='"v1"')
    assert "authorization" not in server.seen[1].headers
    assert "if-none-match" not in server.seen[1].headers
    assert response.url == "http://other.example.com/b"


def test_headers_go_along_within_the_origin() -> None:
    with serving(by_path({"/": redirect("/b"), "/b": always()})) as server:
        Wires(server.port).fetcher().get(PAGE, headers={"Authorization": "Bearer s"})
    assert server.seen[1].headers["authorization"] == "Bearer s"


@pytest.mark.parametrize(
    ("statuses", "moved"),
    [
        (["301 Moved Permanently", "308 Permanent Redirect"], True),
        (["301 Moved Permanently", "302 Found"], False),
        (["307 Temporary Redirect"], False),
        ([], False),
    ],
)
def test_a_page_has_moved_if_every_redirect_says_it_is_permanent(
    statuses: list[str], moved: bool
) -> None:
    hops = {f"/{n}": redirect(f"/{n + 1}", status) for n, status in enumerate(statuses)}
    answer = by_path({**hops, f"/{len(statuses)}": always()})
    assert response_of(answer, url="http://example.com/0").moved is moved


def test_a_redirect_from_https_to_http_is_refused(certificate: Certificate) -> None:
    answer = redirect("http://pinned.example.com/")
    assert reason_over_tls(answer, "pinned.example.com", certificate) == "redirect_downgrade"


def test_a_redirect_to_nowhere_is_a_bad_response() -> None:
    assert reason_of(always(b"", status="302 Found")) == "bad_response"


def test_a_redirect_is_an_answer_like_any_other_when_not_followed() -> None:
    with serving(redirect("/b")) as server:
        response = Wires(server.port).fetcher().request("GET", PAGE)
    assert (response.status, response.headers["location"]) == (302, "/b")


# --- POST


def test_a_post_carries_its_body_and_headers() -> None:
    with serving(always(b"ok", status="410 Gone", media_type=None)) as server:
        fetcher = Wires(server.port).fetcher()
        headers = {"Content-Type": "application/json", "webhook-id": "1"}
        response = fetcher.request("POST", PAGE, headers=headers, body=b"{}")
    (seen,) = server.seen
    assert (seen.line, seen.body) == ("POST / HTTP/1.1", b"{}")
    assert (seen.headers["content-type"], seen.headers["webhook-id"]) == ("application/json", "1")
    assert (response.status, response.body) == (410, b"ok")


def test_a_post_is_not_sent_on() -> None:
    with serving(redirect("/b", "307 Temporary Redirect")) as server:
        response = Wires(server.port).fetcher().request("POST", PAGE, body=b"{}")
    assert response.status == 307
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("method", "headers", "follow"),
    [
        ("PUT", {}, False),
        ("POST", {}, True),
        ("GET", {"host": "other"}, False),
        ("GET", {"Content-Length": "5"}, False),
        ("GET", {"X-A": "b\r\nX-C: d"}, False),
        ("GET", {"X A": "b"}, False),
    ],
)
def test_a_wrong_call_is_refused_before_any_lookup(
    method: str, headers: dict[str, str], follow: bool
) -> None:
    wires = Wires(0)
    with pytest.raises(ValueError, match=r"header|only GET"):
        wires.fetcher().request(method, PAGE, headers=headers, follow_redirects=follow)
    assert wires.lookups == []


# --- bodies


def test_the_name_is_sent_and_verified_though_an_address_was_dialled(tmp_path: Path) -> None:
    certificate = certificate_for("sni.example.com", tmp_path)
    names: list[str] = []
    certificate.server.sni_callback = lambda _, name, __: names.append(name)
    with serving(always(), certificate.server) as server:
        wires = Wires(server.port)
        response = wires.fetcher(tls=certificate.trusting).get("https://sni.example.com/")
    assert response.body == b"hello"
    assert names == ["sni.example.com"]
    assert wires.dialled == [(PUBLIC, 443)]


@pytest.mark.parametrize("host", ["other.example.com", PUBLIC])
def test_a_certificate_for_another_name_is_refused(host: str, certificate: Certificate) -> None:
    assert reason_over_tls(always(), host, certificate) == "tls_failed"


def test_a_certificate_of_no_known_authority_is_refused(certificate: Certificate) -> None:
    unknown = replace(certificate, trusting=ssl.create_default_context())
    assert reason_over_tls(always(), "pinned.example.com", unknown) == "tls_failed"


# --- Retry-After


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("120", 120.0), ("Fri, 31 Dec 1999 23:59:59 GMT", 0.0), ("soon", None), ("-1", None)],
)
def test_retry_after_is_read_in_both_forms(value: str, seconds: float | None) -> None:
    headers = [f"Retry-After: {value}"]
    response = response_of(always(status="429 Too Many Requests", headers=headers))
    assert response.retry_after_seconds == seconds
    assert response.retryable
