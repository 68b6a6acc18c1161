"""Sites on either client and by `citegrid index URL`: begun, followed, read again."""

import json
from typing import Any

import httpx
import pytest
from conftest import Ask, Run
from corpora_answers import Corpora

from citegrid.cli.exits import Exit
from citegrid.errors import StillRunning

SITE: dict[str, Any] = {
    "id": "site_a",
    "corpus_id": "corp_birds",
    "url": "https://birds.example.org/",
    "kind": "site",
    "include_paths": [],
    "exclude_paths": [],
    "max_pages": 1000,
    "refresh": None,
    "state": "ready",
    "reason": None,
    "pages": 0,
    "waiting": 0,
    "failed": 0,
    "created_at": "2026-11-21T09:00:00Z",
    "read_at": None,
}


class Sites(Corpora):
    """Corpora with sites, each of which passes through `states` and stays in the last."""

    def __init__(self, *states: dict[str, Any], there: bool = False) -> None:
        super().__init__("birds")
        self.states = list(states)
        self.sites = [SITE] if there else []
        self.sent: list[tuple[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        what = request.url.path.split("/")[3:]
        if what[1:2] != ["sites"]:
            return super().__call__(request)
        if request.method == "GET" and len(what) == 2:
            return httpx.Response(200, json={"sites": self.sites})
        if request.method == "GET":
            state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
            return httpx.Response(200, json={**SITE, "failures": [], **state})
        body = json.loads(request.content) if request.content else None
        self.sent.append((request.method + " " + "/".join(what[2:]), body))
        if request.method == "DELETE":
            return httpx.Response(204)
        return httpx.Response(200 if what[-1] == "refresh" else 201, json=SITE)


READING = {"state": "reading", "pages": 1, "waiting": 2}
READ = {"pages": 3, "failed": 1, "failures": [{"url": "https://b.example/x", "reason": "http_404"}]}


def test_a_site_is_followed_until_it_has_been_read(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citegrid.nouns.search.sites.PAUSE_SECONDS", 0.0)
    server = Sites(READING, READING, READ)
    seen: Any = ask(server, lambda client: client.sites.watch("corp_birds", "site_a"))
    assert [(each.state, each.pages) for each in seen] == [("reading", 1), ("ready", 3)]


def test_it_is_followed_no_longer_than_asked(ask: Ask) -> None:
    with pytest.raises(StillRunning):
        ask(
            Sites(READING),
            lambda client: client.sites.watch("corp_birds", "site_a", timeout=0.01),
        )


def test_an_address_is_read_into_a_corpus_of_its_host(run: Run) -> None:
    server = Sites(READ)
    server.names = {}
    done = run(server, "index", "https://birds.example.org/", "--refresh", "daily")
    assert done.stdout.splitlines()[0] == "birds.example.org: 3 pages, 1 failed"
    assert "https://b.example/x: http_404" in done.stdout
    assert 'citegrid ask --in birds.example.org "A question"' in done.stderr
    assert server.sent == [("POST ", {"url": "https://birds.example.org/", "refresh": "daily"})]
    assert done.exit_code == Exit.DONE


def test_options_of_a_site_are_sent(run: Run) -> None:
    server = Sites(READ)
    options = ["--sitemap", "--max-pages", "9", "--include", "/docs/", "--exclude", "/docs/old/"]
    run(server, "index", "https://birds.example.org/sitemap.xml", "--name", "birds", *options)
    ((_, sent),) = server.sent
    assert sent == {
        "url": "https://birds.example.org/sitemap.xml",
        "kind": "sitemap",
        "max_pages": 9,
        "include_paths": ["/docs/"],
        "exclude_paths": ["/docs/old/"],
    }


def test_a_site_that_is_there_is_read_again(run: Run) -> None:
    server = Sites(READ, there=True)
    run(server, "index", "https://birds.example.org", "--name", "birds")
    assert server.sent == [("POST site_a/refresh", None)]


def test_a_site_of_which_nothing_can_be_read_exits_with_6(run: Run) -> None:
    nothing = {"pages": 0, "reason": "nothing_listed"}
    done = run(Sites(nothing), "index", "https://birds.example.org/", "--name", "birds")
    assert done.stdout == "birds: 0 pages, 0 failed, stopped: nothing_listed\n"
    assert done.exit_code == Exit.WEAK


def test_sites_are_listed_and_removed(run: Run) -> None:
    server = Sites(READ, there=True)
    listed = run(server, "corpora", "sites", "birds").stdout
    assert listed.split("\t")[:4] == ["site_a", "https://birds.example.org/", "ready", "0"]
    run(server, "corpora", "remove-site", "birds", "site_a", "--yes")
    assert server.sent == [("DELETE site_a", None)]
