"""Where a client looks for the server and for who asks, and where a credential may go."""

import json
from functools import partial
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from conftest import AT_ONCE, Run

from citegrid import AsyncClient, Client, Credentials, InvalidArgument, errors
from citegrid.cli.account import login
from citegrid.profiles import saved
from citegrid.profiles import settings as sources
from citegrid.profiles.saved import DEFAULT, SavedProfile, UnknownProfile, UnreadableProfile

HERE = "http://127.0.0.1:8000"
WORK = "https://work.example.org"
OTHER = "https://other.example.org"
TOKENS = {
    "access_token": "cga_a",
    "refresh_token": "cgr_a",
    "token_type": "Bearer",
    "expires_in": 3600,
}
LISTED = {"searches": [], "has_more": False, "next_cursor": None}


def save(name: str, url: str, **credentials: str) -> None:
    saved.save(sources.folder(), name, SavedProfile(url, salt="s", **credentials))


def asked_as(base_url: str | None = None, **options: object) -> tuple[str, str | None]:
    """The server that such a client asks, and the credential that it sends."""
    sent: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=LISTED)

    transport = httpx.MockTransport(handler)
    with Client(base_url, transport=transport, policy=AT_ONCE, **options) as client:
        client.searches.list()
    headers = sent[0].headers
    return client.base_url, headers.get("X-API-Key") or headers.get("Authorization")


ENVIRONMENT = {"SERVICE_BASE_URL": f"{WORK}/", "SERVICE_API_KEY": "cgk_env"}
ELSEWHERE = {"SERVICE_BASE_URL": OTHER, "SERVICE_API_KEY": "cgk_env"}
ONLY_KEY = {"SERVICE_API_KEY": "cgk_env"}
ONLY_PLACE = {"SERVICE_BASE_URL": OTHER}
NAMED = {"CITEGRID_PROFILE": "work"}
WORKING = {"profile": "work"}
ANYHOW = (WORK, "cgk_kept")


@pytest.mark.parametrize(
    ("environment", "url", "options", "asked"),
    [
        pytest.param({}, None, {}, (HERE, None), id="nothing says, so it is this machine"),
        pytest.param(ENVIRONMENT, None, {}, (WORK, "cgk_env"), id="the environment"),
        pytest.param(ENVIRONMENT, None, {"api_key": "cgk_a"}, (WORK, "cgk_a"), id="an argument"),
        pytest.param(ENVIRONMENT, OTHER, {}, (OTHER, None), id="a key goes to its server only"),
        pytest.param(ONLY_KEY, None, {"credentials": Credentials()}, (HERE, None), id="nobody"),
    ],
)
def test_who_asks_where_is_said_by(
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    url: str | None,
    options: dict[str, Any],
    asked: tuple[str, str | None],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert asked_as(url, **options) == asked


def test_the_awaited_client_reads_the_environment_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_BASE_URL", WORK)
    assert AsyncClient().base_url == WORK


def test_a_profile_that_was_never_saved_is_an_error() -> None:
    with pytest.raises(UnknownProfile, match="login --profile work"):
        Client(profile="work")


@pytest.fixture
def damaged() -> None:
    """A default profile that cannot be read."""
    save(DEFAULT, WORK)
    saved.file_of(sources.folder(), DEFAULT).write_text("{")


@pytest.mark.usefixtures("damaged")
def test_a_damaged_profile_stops_nobody_who_says_where_and_who(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_env")
    assert asked_as(WORK) == (WORK, "cgk_env")


@pytest.mark.usefixtures("damaged")
def test_a_damaged_profile_that_is_needed_is_an_error() -> None:
    with pytest.raises(UnreadableProfile, match="log in again"):
        Client(WORK)


@pytest.mark.parametrize("name", ["../work", "a/b", ".", "-x", "a" * 65, "é"])
def test_a_profile_is_named_so_that_it_stays_in_its_folder(name: str) -> None:
    with pytest.raises(InvalidArgument):
        Client(profile=name)


def refreshing(request: httpx.Request) -> httpx.Response:
    """Takes the refresh token, and then the new access token."""
    tokens = {"access_token": "new", "token_type": "Bearer", "expires_in": 1}
    if request.url.path == "/v1/tokens/refresh":
        return httpx.Response(201, json={**tokens, "refresh_token": "refresh-2"})
    if request.headers["Authorization"] == "Bearer new":
        return httpx.Response(200, json=LISTED)
    return httpx.Response(401, json={"error": {"code": "auth_expired_token", "message": "No."}})


def test_a_session_goes_on_where_its_profile_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    issued = ["1"]

    def server(request: httpx.Request) -> httpx.Response:
        """Each access token is taken once."""
        tokens = {"token_type": "Bearer", "expires_in": 1}
        if request.url.path == "/v1/tokens/refresh":
            assert json.loads(request.content)["refresh_token"] == issued[-1]
            issued.append(f"{issued[-1]}1")
            pair = {"access_token": issued[-1], "refresh_token": issued[-1]}
            return httpx.Response(201, json={**tokens, **pair})
        if request.headers["Authorization"] == f"Bearer {issued[-1]}" and issued[-1] not in used:
            used.add(issued[-1])
            return httpx.Response(200, json=LISTED)
        return httpx.Response(401, json={"error": {"code": "auth_expired_token", "message": "No."}})

    used = {"1"}
    save("work", WORK, access_token="1", refresh_token="1")
    monkeypatch.setattr(saved.tempfile, "mkstemp", Mock(side_effect=PermissionError))
    with Client(profile="work", transport=httpx.MockTransport(server)) as client:
        assert [client.searches.list().items for _ in range(2)] == [(), ()]


def test_a_refreshed_session_is_kept_in_its_profile() -> None:
    save("work", WORK, access_token="old", refresh_token="refresh-1")
    with Client(profile="work", transport=httpx.MockTransport(refreshing)) as client:
        client.searches.list()
    kept = saved.load(sources.folder(), "work")
    assert kept is not None
    assert (kept.access_token, kept.refresh_token) == ("new", "refresh-2")


@pytest.mark.parametrize("since", ["new", "old-2"])
def test_a_session_that_another_process_refreshed_goes_on_with_its_tokens(since: str) -> None:
    asked: list[bytes] = []

    def server(request: httpx.Request) -> httpx.Response:
        asked.append(request.content)
        return refreshing(request)

    save("work", WORK, access_token="old", refresh_token="refresh-1")
    with Client(profile="work", transport=httpx.MockTransport(server)) as client:
        save("work", WORK, access_token=since, refresh_token="refresh-2")
        assert client.searches.list().items == ()
    assert not any(b"refresh-1" in content for content in asked)


def test_an_impossible_key_of_the_environment_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "two words")
    with pytest.raises(errors.InvalidArgument, match="SERVICE_API_KEY") as raised:
        Client()
    assert "two words" not in str(raised.value)


@pytest.mark.parametrize(
    "proxy", ["socks5://u:SECRET@127.0.0.1:1", "ftp://u:SECRET@127.0.0.1:1", "http://[::1"]
)
def test_a_proxy_that_cannot_be_used_is_named_as_the_problem(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(InvalidArgument, match="proxy") as raised:
        Client(WORK, "cgk_given")
    assert "SECRET" not in str(raised.value)


def test_a_certificate_file_that_is_missing_is_named_as_the_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent.pem")
    with pytest.raises(InvalidArgument, match="certificate"):
        Client(WORK, "cgk_given")


@pytest.mark.parametrize("home", ["/dev/null", None])
def test_without_a_home_the_environment_says_who_asks(
    monkeypatch: pytest.MonkeyPatch, home: str | None
) -> None:
    def nobody(_user_id: int) -> None:
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", nobody)
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("HOME")
    if home is not None:
        monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_env")
    assert asked_as(WORK) == (WORK, "cgk_env")


@pytest.mark.parametrize(
    ("options", "mentioned"), [((), True), (("--profile", "work"), False)], ids=["default", "named"]
)
def test_a_login_beside_a_key_in_the_environment_says_which_is_used(
    monkeypatch: pytest.MonkeyPatch, run: Run, options: tuple[str, ...], mentioned: bool
) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=TOKENS))
    monkeypatch.setattr(login, "Client", partial(Client, transport=transport))
    done = run(transport, "login", "--email", "a@example.org", *options, stdin="a password\n")
    assert done.exit_code == 0, done.output
    assert ("to use only this login:  unset SERVICE_API_KEY" in done.stderr) is mentioned


@pytest.mark.parametrize(
    ("kept", "environment", "url", "options", "asked"),
    [
        pytest.param(DEFAULT, {}, None, {}, (WORK, "cgk_kept"), id="a login"),
        pytest.param(DEFAULT, ONLY_PLACE, None, {}, (OTHER, None), id="the environment first"),
        pytest.param("work", NAMED, None, {}, (WORK, "cgk_kept"), id="a name in the environment"),
        pytest.param("work", ELSEWHERE, None, WORKING, (WORK, "cgk_kept"), id="a named one first"),
        pytest.param("work", {}, OTHER, WORKING, (OTHER, None), id="a key goes to its server only"),
        pytest.param(DEFAULT, {}, "https://Work.Example.ORG/", {}, ANYHOW, id="in capitals"),
        pytest.param(DEFAULT, {}, "https://work.example.org:443", {}, ANYHOW, id="with its port"),
    ],
)
def test_what_was_kept_is_used(
    monkeypatch: pytest.MonkeyPatch,
    kept: str,
    environment: dict[str, str],
    url: str | None,
    options: dict[str, Any],
    asked: tuple[str, str | None],
) -> None:
    save(kept, WORK, api_key="cgk_kept")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert asked_as(url, **options) == asked
