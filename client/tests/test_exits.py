"""Exit codes that tell the truth, and commands that refuse at once what cannot work."""

import json
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from answers import accepted, in_turn, refusal
from campaign_answers import RECORD, Campaigns
from conftest import Run
from job_answers import FAILED, JOB, Jobs

from citegrid.cli.exits import Exit
from citegrid.cli.records import verify
from citegrid.cli.terminal import Terminal

READY = {"status": "ready", "database": "ok", "redis": "ok", "dispatchers": "ok"}
REQUIRED = ("name", "objective", "data_requirements", "reward_budget", "validation")
EMPTY = {"has_more": False, "next_cursor": None}
CHAT = ("--backend", "http://127.0.0.1:9", "--model", "m")
LONG_LIST = ("search", "list", "--limit", "600", "--json")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (refusal(401, "auth_invalid_token"), Exit.AUTHENTICATION),
        (refusal(403, "api_key_scope"), Exit.DONE),
        (refusal(500, "internal_error"), Exit.FAILED),
    ],
    ids=["refused", "a key", "broken"],
)
def test_the_status_is_good_only_where_the_credential_is(
    run: Run, said: httpx.Response, code: Exit
) -> None:
    server = in_turn(httpx.Response(200, json=READY), said)
    assert run(server, "status").exit_code == code


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_job_that_came_to_nothing_is_shown_with_the_exit_code_of_a_failure(
    run: Run, status: str
) -> None:
    job = httpx.Response(200, json={**JOB, "status": status})
    assert run(job, "jobs", "show", "job_a").exit_code == Exit.FAILED


def test_a_cancelled_job_says_so_once(run: Run) -> None:
    job = httpx.Response(200, json={**JOB, "status": "cancelled", "stop_reason": "cancelled"})
    assert run(job, "jobs", "show", "job_a").stdout.count("cancelled") == 1


def test_a_campaign_that_goes_on_is_watched_again(run: Run) -> None:
    server = in_turn(*(httpx.Response(200, json={"runs": [], **EMPTY}) for _ in range(9)))
    done = run(server, "campaigns", "watch", "camp_a", "--timeout", "0.001")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        Exit.TIMEOUT,
        "try:  citegrid campaigns watch camp_a",
    )


def test_a_search_that_cannot_be_waited_for_is_not_lost(run: Run) -> None:
    done = run(in_turn(accepted(), refusal(401, "auth_invalid_token")), "ask", "Eggs?")
    assert done.exit_code == Exit.AUTHENTICATION
    assert "citegrid search wait srch_a" in done.stderr


def test_a_search_that_is_not_there_is_not_waited_for_again(run: Run) -> None:
    done = run(refusal(404, "search_not_found"), "search", "wait", "srch_a")
    assert (done.exit_code, "to go on waiting" in done.stderr) == (Exit.NOT_FOUND, False)


@pytest.mark.parametrize(
    ("arguments", "listing"),
    [(("ask", "Eggs?"), "search list"), (("workflow", "run", "{file}"), "jobs list")],
    ids=["a search", "a job"],
)
def test_an_interruption_while_work_is_started_names_where_to_find_it(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], listing: str
) -> None:
    def interrupted(_request: httpx.Request) -> httpx.Response:
        raise KeyboardInterrupt

    (tmp_path / "steps.json").write_text("[]")
    done = run(interrupted, *(each.format(file=tmp_path / "steps.json") for each in arguments))
    assert done.stderr.startswith(f"it may have started; to see it:  citegrid {listing}\n")
    assert done.exit_code == Exit.INTERRUPTED


def test_a_suggestion_is_for_the_server_that_was_asked(run: Run) -> None:
    done = run(accepted(), "search", "start", "Eggs?", "--base-url", "https://other.example.org")
    assert done.stderr == (
        "try:  citegrid search wait srch_a --base-url https://other.example.org\n"
        "      citegrid search cancel srch_a --base-url https://other.example.org\n"
    )


def test_a_long_list_goes_on_where_it_ends(run: Run) -> None:
    pages = [{"searches": [], "has_more": True, "next_cursor": f"c{n}"} for n in range(3)]
    done = run(in_turn(*(httpx.Response(200, json=page) for page in pages)), *LONG_LIST)
    assert json.loads(done.stdout)["next_cursor"] == "c2"


@pytest.mark.parametrize(
    "arguments",
    [
        ("chat", "--model", "m", "--offer", "an-offer-without-its-revision", "hi"),
        ("disputes", "open", "camp_a", "crec_a", "a-category-that-there-is-not", "It is wrong."),
        ("index", "http://["),
        ("index", "no-such-folder"),
        ("index", ".", "--sitemap"),
        ("index", "https://birds.example.org/", "--prune"),
        ("keys", "create", "x", "--days", "9999999"),
        ("memory", "add", "me", "Owns a boat"),
        ("memory", "erase", "me", "--yes"),
        ("payouts", "request", "USD", "much", "wallet 7", "--yes"),
        ("webhooks", "redeliver", "whk_a"),
        ("webhooks", "update", "whk_a"),
        ("node", "run", "--work", "chat"),
        ("node", "run", "--work", "chat", *CHAT),
        ("node", "run", *CHAT[:2]),
        ("node", "run", *CHAT, "--input-rate", "free"),
    ],
    ids=" ".join,
)
def test_what_cannot_work_is_refused_before_anything_is_asked(
    run: Run, arguments: tuple[str, ...]
) -> None:
    done = run(in_turn(), *arguments)
    assert (done.exit_code, done.stdout) == (Exit.USAGE, "")


def test_a_proxy_that_cannot_be_used_is_not_taken_for_a_wrong_key(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://proxy")
    done = run(in_turn(), "login", "--key", stdin="cgk_secret")
    assert "A proxy or certificate that the environment names cannot be used" in done.stderr


def test_a_job_whose_pages_failed_names_the_command_that_says_why(run: Run) -> None:
    progress = {**JOB["progress"], "pages_failed": 2}
    server = Jobs({**FAILED, "progress": progress})
    assert "citegrid jobs pages job_a" in run(server, "jobs", "watch", "job_a").stderr


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(("jobs", "pages", "job_a"), "pages"), (("monitor", "changes", "job_a"), "changes")],
    ids=["pages", "changes"],
)
def test_a_list_of_a_job_goes_on_where_it_ends(
    run: Run, arguments: tuple[str, ...], name: str
) -> None:
    answer = httpx.Response(200, json={name: [], "has_more": True, "next_cursor": "c1"})
    assert f"more:  citegrid {' '.join(arguments)} --cursor c1" in run(answer, *arguments).stderr


@pytest.mark.parametrize(
    "arguments",
    [("jobs", "records", "job_a"), ("jobs", "watch", "job_a"), ("campaigns", "records", "camp_a")],
    ids=" ".join,
)
def test_a_file_in_no_folder_is_refused_before_anything_is_asked(
    run: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = run(in_turn(), *arguments, "-o", str(tmp_path / "none" / "records.csv"))
    assert (done.exit_code, str(tmp_path / "none") in done.stderr) == (Exit.USAGE, True)


@pytest.mark.parametrize(
    ("server", "noun"), [(Jobs(), "jobs"), (Campaigns(), "campaigns")], ids=["jobs", "campaigns"]
)
def test_a_file_that_cannot_be_written_is_told_in_one_line(
    run: Run, tmp_path: Path, server: Any, noun: str
) -> None:
    (tmp_path / "records.json.part").mkdir()  # where the file would grow
    done = run(server, noun, "records", "an_id", "-o", str(tmp_path / "records.json"))
    assert done.exit_code == Exit.FAILED
    assert done.stderr == f"citegrid: {tmp_path / 'records.json.part'}: Is a directory\n"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("search", "list"), {"searches": [], **EMPTY}),
        (("offer", "list", "m/1"), {"offers": [], **EMPTY}),
        (("credits", "show"), {"balances": [], "entries": [], **EMPTY}),
        (("jobs", "records", "job_a"), {"records": [], **EMPTY}),
        (("campaigns", "records", "camp_a"), {"records": [], **EMPTY}),
    ],
    ids=["searches", "offers", "credit", "records", "records of a campaign"],
)
def test_an_empty_list_says_that_it_is_empty(
    run: Run, arguments: tuple[str, ...], answer: dict[str, Any]
) -> None:
    done = run(httpx.Response(200, json=answer), *arguments)
    assert (done.stdout, done.stderr) == ("", "Nothing to list.\n")


def test_a_monitor_that_found_nothing_says_so(run: Run) -> None:
    done = run(httpx.Response(200, json={"changes": [], **EMPTY}), "monitor", "changes", "job_a")
    assert done.stderr == "Nothing has changed so far.\n"


def test_records_of_a_campaign_that_are_left_out_are_mentioned(run: Run) -> None:
    records = {"records": [RECORD] * 51, **EMPTY}
    done = run(httpx.Response(200, json=records), "campaigns", "records", "camp_a")
    assert done.stderr == "Showing the first 50. Use -o records.csv to write all records.\n"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ([], "FILE must be a JSON object."),
        ({"name": "Owls"}, "FILE lacks data_requirements, objective, reward_budget, validation."),
        ({**dict.fromkeys(REQUIRED, ""), "colour": "red"}, "FILE must not have colour."),
    ],
    ids=["no object", "too little", "too much"],
)
def test_a_campaign_says_what_its_file_lacks(
    run: Run, tmp_path: Path, body: Any, problem: str
) -> None:
    file = tmp_path / "campaign.json"
    file.write_text(json.dumps(body))
    assert problem in run(in_turn(), "campaigns", "create", str(file)).stderr


def test_what_needs_a_yes_says_what_it_would_do(run: Run) -> None:
    done = run(in_turn(), "jobs", "delete", "job_a")
    assert "Delete job_a and its records? Use --yes to confirm without a terminal." in done.stderr


def test_a_page_that_is_still_being_read_is_no_verdict(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "LONGEST_SECONDS", 0.0)
    stored = {"result": "found", "start": 3, "end": 9, "match": "exact"}
    known = {"id": "ver_a", "status": "running", "stored": stored, "live": None}
    answer = httpx.Response(200, json={**known, "live_error": None})
    done = run(answer, "verify", "https://example.org/", "Lamp 1")
    assert done.exit_code == Exit.TIMEOUT
    assert "live: could not be read: it takes too long" in done.stdout


def test_a_key_whose_secret_could_not_be_shown_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = {
        "id": "key_a",
        "name": "ci",
        "prefix": "cgk_live_",
        "last_four": "wxyz",
        "scopes": ["search"],
        "created_at": "2026-11-21T09:00:00Z",
        "expires_at": None,
        "last_used_at": None,
        "revoked_at": None,
        "replaced_by": None,
        "corpora": None,
    }
    made = httpx.Response(201, json={"api_key": key, "secret": "cgk_live_wxyz"})
    monkeypatch.setattr(Terminal, "whole", Mock(side_effect=OSError(28, "No space left on device")))
    done = run(made, "keys", "create", "ci")
    assert (done.exit_code, "key_a" in done.stderr) == (Exit.FAILED, True)


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A command line, with `citegrid` in it."""
    line = command.replace("citegrid", f"{shlex.quote(sys.executable)} -m citegrid", 1)
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True)


@pytest.mark.parametrize("arguments", ["ask --help", "completion bash"])
def test_a_full_disk_is_a_failure_in_one_line(arguments: str) -> None:
    done = shell(f"citegrid {arguments} > /dev/full")
    assert (done.returncode, done.stderr) == (
        Exit.FAILED,
        "citegrid: No space left on device\n",
    )


@pytest.mark.parametrize("arguments", ["--help", "ask --help"])
def test_a_pipe_that_is_closed_has_a_code_of_its_own(arguments: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "citegrid", *arguments.split()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (Exit.BROKEN_PIPE, b"")


def test_a_port_that_is_taken_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "citegrid", "mcp", "--transport", "http", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "address already in use" in done.stderr) == (Exit.FAILED, True)


def test_a_question_in_another_encoding_is_a_usage_error() -> None:
    done = shell("printf 'Gr\\366\\337e' | PYTHONIOENCODING=ascii citegrid ask -")
    assert (done.returncode, done.stderr) == (
        Exit.USAGE,
        "citegrid: A text has something in it that is no character. Is it UTF-8?\n",
    )


def test_a_command_works_without_stdout() -> None:
    done = shell("citegrid profiles >&-")
    assert (done.returncode, "Traceback" in done.stderr) == (Exit.DONE, False)


def test_without_stdin_a_deletion_wants_to_be_confirmed() -> None:
    done = shell("citegrid keys revoke key_a <&-")
    assert (done.returncode, "--yes" in done.stderr) == (Exit.USAGE, True)
