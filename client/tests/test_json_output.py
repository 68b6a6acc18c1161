"""`--json`: errors as JSON on stderr, lists under the names of the API; and profiles."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from answers import COMPLETED, RUNNING, Recording, accepted, events, in_turn, refusal

from citegrid import Client
from citegrid.cli import command
from citegrid.cli.account import login
from citegrid.cli.main import run as run_command

LISTED = {"searches": [RUNNING], "has_more": True, "next_cursor": "cur_a"}
KEYS = {"api_keys": [], "has_more": False, "next_cursor": None}
OFFERS = {"offers": [], "has_more": False, "next_cursor": None}


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def error(self) -> Any:
        """The last line of stderr."""
        return json.loads(self.err.splitlines()[-1])["error"]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """`run(server, "search", "list")`, as the process would."""

    def invoke(server: Any, *arguments: str) -> Ran:
        handler = server if callable(server) else in_turn(server)
        connected = partial(Client, transport=httpx.MockTransport(handler))
        monkeypatch.setattr(command, "Client", connected)
        monkeypatch.setattr(login, "Client", connected)
        code = run_command(arguments)
        return Ran(code, *capsys.readouterr())

    return invoke


def test_a_refusal_is_the_error_of_the_server(run: Any) -> None:
    refused = refusal(400, "validation_failed", details=[{"field": "/query", "problem": "Long."}])
    done = run(refused, "ask", "--json", "Why?")
    assert (done.code, done.out) == (2, "")
    assert done.error == {
        "code": "validation_failed",
        "message": "No.",
        "details": [{"field": "/query", "problem": "Long."}],
        "retryable": False,
        "request_id": "req_a",
    }


@pytest.mark.parametrize(
    "deletion",
    [
        ("jobs", "delete", "job_a"),
        ("monitor", "remove", "job_a"),
        ("nodes", "delete", "node_a"),
        ("webhooks", "remove", "whk_a"),
        ("alerts", "remove", "alrt_a"),
        ("memory", "erase", "me", "mem_a"),
    ],
)
def test_a_deletion_is_confirmed_and_prints_what_was_deleted(
    run: Any, deletion: tuple[str, ...]
) -> None:
    assert run(in_turn(), *deletion).code == 2
    server = Recording(httpx.Response(204))
    done = run(server, *deletion, "--yes", "--json")
    assert (done.code, json.loads(done.out)) == (0, {"deleted": deletion[-1]})
    assert server.asked[0].method == "DELETE"


def test_a_server_that_is_not_there_is_an_error_with_a_code(run: Any) -> None:
    done = run(in_turn(*[httpx.ReadTimeout("slow")] * 9), "status", "--json")
    assert (done.code, json.loads(done.out)["api"][:11]) == (1, "unreachable")
    done = run(httpx.Response(200, text="<html>"), "search", "list", "--json")
    assert done.error["code"] == "unusable_answer"


@pytest.mark.parametrize(
    "arguments", [["search", "list", "--json", "--limit", "x"], ["--json", "no-such-command"]]
)
def test_a_command_that_is_not_understood_is_an_error_with_a_code(
    run: Any, arguments: list[str]
) -> None:
    done = run(in_turn(), *arguments)
    assert (done.code, done.out, done.error["code"]) == (2, "", "usage")


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["ask"], {}),
        (["search", "get", ""], {}),
        (["search", "list"], {"SERVICE_BASE_URL": "http://example.org"}),
        (["search", "list"], {"SERVICE_API_KEY": "two words"}),
        (["search", "list", "--profile", "../x"], {}),
        (["search", "list"], {"CITEGRID_LOG": "loud"}),
    ],
)
def test_a_mistake_in_the_command_or_its_settings_exits_with_2(
    run: Any, monkeypatch: pytest.MonkeyPatch, arguments: list[str], variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = run(in_turn(), *arguments)
    assert (done.code, done.out) == (2, "")


def test_quiet_says_nothing_besides_the_result(run: Any) -> None:
    told = events(("running", "a", RUNNING), ("completed", "end", COMPLETED))
    assert run(in_turn(accepted(), told), "ask", "--quiet", "Why?").err == ""


def test_a_citation_that_is_not_there_is_an_error_with_a_code(run: Any) -> None:
    done = run(httpx.Response(200, json={**RUNNING}), "open", "--json", "srch_a", "1")
    assert (done.code, done.error["code"]) == (3, "citation_not_found")


def test_without_json_an_error_is_a_sentence(run: Any) -> None:
    done = run(refusal(404, "search_not_found"), "search", "get", "srch_b")
    assert done.err.startswith("citegrid: No. (search_not_found, request req_a)")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["search", "list"], LISTED),
        (["keys", "list"], KEYS),
        (["offer", "list", "m/1"], OFFERS),
        (["offer", "mine"], OFFERS),
    ],
)
def test_a_list_has_the_names_of_the_api(
    run: Any, arguments: list[str], answer: dict[str, Any]
) -> None:
    done = run(httpx.Response(200, json=answer), *arguments, "--json")
    assert json.loads(done.out).keys() == answer.keys()


@pytest.mark.parametrize(
    "words", [("ask", "how", "many", "eggs?", "--detach"), ("search", "start", "how many", "eggs?")]
)
def test_words_without_quotes_are_one_question(run: Any, words: tuple[str, ...]) -> None:
    server = Recording(accepted())
    run(server, *words)
    assert json.loads(server.asked[0].content) == {"query": "how many eggs?"}


def accepts(key: str) -> Any:
    """A server that knows one key."""

    def server(request: httpx.Request) -> httpx.Response:
        if request.headers.get("X-API-Key") != key:
            return refusal(401, "auth_invalid_token")
        return httpx.Response(200, json=LISTED)

    return server


@pytest.fixture
def kept(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two profiles: the default one and `work`."""
    for name, key in (("default", "cgk_home"), ("work", "cgk_work")):
        monkeypatch.setattr(login, "_secret", lambda _, key=key: key)
        url = f"https://{name}.example.org"
        profile = ("login", "--key", "--profile", name, "--base-url", url)
        assert run(accepts(key), *profile).code == 0


def test_each_profile_has_its_own_credential(run: Any, kept: None) -> None:
    assert run(accepts("cgk_home"), "search", "list").code == 0
    assert run(accepts("cgk_work"), "search", "list", "--profile", "work").code == 0


def test_profiles_are_listed_without_their_secrets(run: Any, kept: None) -> None:
    done = run(in_turn(), "profiles", "--profile", "work", "--json")
    assert json.loads(done.out)["profiles"] == [
        {
            "name": "default",
            "base_url": "https://default.example.org",
            "credential": "API key",
            "current": False,
        },
        {
            "name": "work",
            "base_url": "https://work.example.org",
            "credential": "API key",
            "current": True,
        },
    ]


def test_a_logout_forgets_one_profile(run: Any, kept: None, tmp_path: Path) -> None:
    assert run(in_turn(), "logout", "--profile", "work").code == 0
    assert run(in_turn(), "profiles").out == "default\thttps://default.example.org\tAPI key\tused\n"


def test_a_profile_that_was_never_kept_says_how_to_keep_it(run: Any) -> None:
    done = run(in_turn(), "search", "list", "--profile", "work", "--json")
    assert (done.code, done.error["code"]) == (2, "unknown_profile")
    assert "citegrid login --profile work" in done.error["message"]
