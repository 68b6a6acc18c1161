"""Commands over answers that a test makes up: output, files, exit codes."""

import base64
import json
from pathlib import Path
from typing import Any

import click
import httpx
import pytest
from answers import (
    COMPLETED,
    FAILED,
    PAGE,
    accepted,
    completed,
    events,
    in_turn,
    refusal,
    snapshot,
)
from conftest import RecordedRun, Run
from rich.console import Console

from citegrid import errors
from citegrid.cli import exits
from citegrid.cli.exits import Exit
from citegrid.cli.main import commands
from citegrid.cli.search.citations import fragment
from citegrid.cli.terminal import Terminal, line, safe
from citegrid.nouns.search.search_results import Search, SearchNotCompleted
from citegrid.transport.codec import decode

PROFILE = {
    "display_name": "Ada",
    "handle": "ada",
    "description": "",
    "website": None,
    "published": True,
    "avatar_url": None,
}
OFFER = {
    "offer_id": "0196-a",
    "model": "m/1",
    "model_revision": "r1",
    "pricing_revision": 3,
    "public_name": "Big one",
    "rates": {"input": "0.10", "output": "0"},
    "availability": "busy",
}
PUBLIC = {**OFFER, "provider": PROFILE}
OWN = {**OFFER, "device_id": "d", "published": False, "needs_review": True}
PNG = b"\x89PNG\r\n\x1a\n...."


def page(*offers: dict[str, Any], next_cursor: str | None = None) -> httpx.Response:
    body = {"offers": offers, "has_more": next_cursor is not None, "next_cursor": next_cursor}
    return httpx.Response(200, json=body)


def test_text_of_a_page_cannot_steer_the_terminal() -> None:
    assert safe("a\x1b[31mb\x9b2Jc\u202ed\x07\r\ne\tf\udc80") == "a[31mb2Jcd\ne\tf"


def test_an_identifier_in_a_table_is_whole_however_narrow_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal(colour=False)
    monkeypatch.setattr(terminal, "_out", Console(width=40, force_terminal=True, no_color=True))
    terminal.table(("ID", "STATUS", "QUERY"), [("srch_" + 26 * "a", "completed", "Eggs?")])
    assert f"srch_{26 * 'a'}  completed  Eggs?" in capsys.readouterr().out


def test_a_line_is_one_line() -> None:
    assert line(" a\n\tb\u2028c ") == "a bc"


def test_a_title_with_an_escape_sequence_is_printed_without(run: Run) -> None:
    search = json.loads(json.dumps(COMPLETED).replace("Barn owls", "\\u001b]0;owned\\u0007"))
    done = run(httpx.Response(200, json=search), "search", "get", "srch_a")
    assert "]0;owned" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_completed_search_is_printed_with_sources_and_quotes(run: Run) -> None:
    done = run(httpx.Response(200, json=COMPLETED), "search", "get", "srch_a")
    assert done.stdout == (
        "Four to seven eggs. [1]\n"
        "\n"
        "confidence 0.93\n"
        "\n"
        "[1] Barn owls\n"
        "    https://birds.example.org/owls\n"
        "    quality 0.83, stored 2026-11-20 08:00 UTC\n"
        "    Barn owls > Breeding\n"
        "    “four to seven eggs”\n"
    )
    assert done.exit_code == Exit.DONE


def test_a_failed_search_says_why_and_exits_with_1(run: Run) -> None:
    done = run(httpx.Response(200, json=FAILED), "search", "get", "srch_a")
    assert done.stdout == "srch_a failed: Too late. (deadline_exceeded)\n"
    assert done.exit_code == Exit.FAILED


DISAGREEING = completed(
    state="sources_disagree", contradictions=[{"values": ["four", "nine"], "citations": [1, 1]}]
)


@pytest.mark.parametrize(
    "weak",
    [
        completed(answered=False),
        completed(citations=[]),
        DISAGREEING,
        completed(state="perhaps"),
    ],
    ids=["not answered", "not cited", "sources disagree", "perhaps"],
)
def test_a_weak_answer_exits_with_6(run: Run, weak: dict[str, Any]) -> None:
    assert run(httpx.Response(200, json=weak), "search", "get", "srch_a").exit_code == Exit.WEAK


def test_sources_that_disagree_are_named_before_the_answer(run: Run) -> None:
    done = run(httpx.Response(200, json=DISAGREEING), "search", "get", "srch_a")
    assert done.stdout.startswith("Sources disagree: four or nine\n\nFour to seven eggs. [1]\n")


def test_a_perhaps_is_told_before_the_answer_with_its_probability(run: Run) -> None:
    doubtful = completed(state="perhaps", confidence=0.314)
    done = run(httpx.Response(200, json=doubtful), "search", "get", "srch_a")
    assert done.stdout.startswith("Perhaps: ")
    assert "\n\nFour to seven eggs. [1]\n\nconfidence 0.31\n\n[1] Barn owls" in done.stdout


def test_a_warning_is_told_and_does_not_change_the_exit_code(run: Run) -> None:
    warned = {**COMPLETED, "warnings": ["One engine was slow."]}
    done = run(httpx.Response(200, json=warned), "search", "get", "srch_a")
    assert "warning: One engine was slow." in done.stderr
    assert done.exit_code == Exit.DONE


def test_without_room_for_a_stream_asking_goes_on_by_polling(run: Run) -> None:
    full = refusal(503, "overloaded", {"Retry-After": "100"})
    server = in_turn(accepted(), full, httpx.Response(200, json=COMPLETED))
    assert run(server, "ask", "How many?").exit_code == Exit.DONE


def test_asking_follows_the_events(run: Run) -> None:
    server = in_turn(accepted(), events(("completed", "end", COMPLETED)))
    written = json.dumps(COMPLETED).replace(".25Z", ".250000Z")
    assert run(server, "ask", "--json", "How many?").stdout == (
        written.replace('"content": 1,', '"content": 1.0,') + "\n"
    )


def test_a_quote_stands_out_in_its_page(run: Run) -> None:
    server = in_turn(httpx.Response(200, json=COMPLETED), snapshot(PAGE))
    done = run(server, "open", "srch_a", "1")
    assert "A clutch holds >>>four to seven eggs<<<.\n" in done.stdout
    assert done.exit_code == Exit.DONE


def test_a_page_that_is_not_what_was_hashed_exits_with_6(run: Run) -> None:
    server = in_turn(httpx.Response(200, json=COMPLETED), snapshot(PAGE + " "))
    done = run(server, "open", "srch_a")
    assert (done.exit_code, "page has changed" in done.stderr) == (Exit.WEAK, True)


@pytest.mark.parametrize(
    ("at", "code", "address"),
    [
        ("https://birds", Exit.DONE, ["#:~:text=four%20to%20seven%20eggs"]),
        ("file:///birds", Exit.FAILED, []),
    ],
)
def test_a_browser_is_sent_to_the_quote_if_its_source_is_a_web_page(
    run: Run, monkeypatch: pytest.MonkeyPatch, at: str, code: Exit, address: list[str]
) -> None:
    launched: list[str] = []
    monkeypatch.setattr("click.launch", lambda url: launched.append(url) or 0)
    found = json.loads(json.dumps(COMPLETED).replace("https://birds", at))
    server = in_turn(httpx.Response(200, json=found), snapshot(PAGE))
    assert run(server, "open", "srch_a", "--browser").exit_code == code
    assert launched == [f"https://birds.example.org/owls{each}" for each in address]


def test_a_long_quote_is_addressed_by_its_ends() -> None:
    quoted = " ".join(["first"] * 5 + ["middle"] * 90 + ["e-n,d"] * 5)
    assert fragment(quoted) == (
        "#:~:text=first%20first%20first%20first%20first,"
        "e%2Dn%2Cd%20e%2Dn%2Cd%20e%2Dn%2Cd%20e%2Dn%2Cd%20e%2Dn%2Cd"
    )


def test_offers_are_listed_with_the_way_to_get_more(run: Run) -> None:
    done = run(page(PUBLIC, next_cursor="u-2"), "offer", "list", "m/1")
    assert done.stdout == "0196-a\tBig one\tada\t0.10\t0\tbusy\t3\n"
    assert done.stderr == "more:  citegrid offer list m/1 --cursor u-2\n"


def test_one_offer_is_shown_with_the_revision_to_quote(run: Run) -> None:
    done = run(httpx.Response(200, json=PUBLIC), "offer", "show", "0196-a")
    assert "revision      3\n" in done.stdout


def test_publishing_keeps_the_name(recorded: RecordedRun) -> None:
    done, (*_, saved) = recorded(page(OWN), "offer", "publish", "0196-a")
    assert done.stdout == "0196-a published\n"
    assert json.loads(saved.content) == {"public_name": "Big one", "published": True}


def test_an_offer_of_somebody_else_is_not_found(run: Run) -> None:
    assert run(page(), "offer", "publish", "0196-b").exit_code == Exit.NOT_FOUND


def test_a_profile_keeps_what_is_not_given(recorded: RecordedRun) -> None:
    known = httpx.Response(200, json={"profile": PROFILE})
    done, (_, saved) = recorded(known, "provider", "save", "--description", "GPUs", "--hide")
    assert done.exit_code == 0
    kept = {name: PROFILE[name] for name in ("display_name", "handle", "website")}
    assert json.loads(saved.content) == {**kept, "description": "GPUs", "published": False}


def test_a_first_profile_needs_a_name_and_a_handle(run: Run) -> None:
    server = httpx.Response(200, json={"profile": None})
    assert run(server, "provider", "save", "--description", "GPUs").exit_code == Exit.USAGE


def test_a_public_profile_is_shown_with_its_offers(run: Run) -> None:
    body = {"profile": PROFILE, "offers": [PUBLIC], "has_more": False, "next_cursor": None}
    done = run(httpx.Response(200, json=body), "provider", "show", "ada")
    assert done.stdout.startswith("name          Ada\nhandle        ada\n")
    assert done.stdout.endswith("0196-a\tBig one\tada\t0.10\t0\tbusy\t3\n")


def test_an_avatar_is_sent_as_a_data_url(recorded: RecordedRun, tmp_path: Path) -> None:
    image = tmp_path / "me.png"
    image.write_bytes(PNG)
    known = httpx.Response(200, json={"profile": PROFILE})
    _, (sent,) = recorded(known, "provider", "avatar", "save", str(image))
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    assert json.loads(sent.content) == {"data_url": url}


def test_a_file_that_is_no_image_is_not_sent(run: Run, tmp_path: Path) -> None:
    image = tmp_path / "me.gif"
    image.write_bytes(b"GIF89a")
    done = run(in_turn(), "provider", "avatar", "save", str(image))
    assert done.exit_code == Exit.USAGE


def test_an_avatar_is_written_as_it_came(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.png"
    image = httpx.Response(200, content=PNG, headers={"Content-Type": "image/png"})
    assert run(image, "provider", "avatar", "get", str(target)).exit_code == Exit.DONE
    assert target.read_bytes() == PNG


def test_an_avatar_takes_the_place_of_another_when_it_is_whole(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.png"
    target.write_bytes(b"before")
    (tmp_path / "out.png.part").mkdir()  # where it would grow
    image = httpx.Response(200, content=PNG, headers={"Content-Type": "image/png"})
    assert run(image, "provider", "avatar", "get", str(target)).exit_code == Exit.FAILED
    assert target.read_bytes() == b"before"


def test_an_answer_that_is_no_image_is_not_written(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.png"
    html = httpx.Response(200, content=b"<html>", headers={"Content-Type": "text/html"})
    assert run(html, "provider", "avatar", "get", str(target)).exit_code == Exit.FAILED
    assert not target.exists()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.NotFound("No."), Exit.NOT_FOUND),
        (errors.AuthExpiredToken("No."), Exit.AUTHENTICATION),
        (errors.ApiKeyScope("No."), Exit.AUTHENTICATION),
        (errors.PaymentRequired("No."), Exit.PAYMENT),
        (errors.BadRequest("No."), Exit.USAGE),
        (errors.TooManyRequests("No."), Exit.TRY_LATER),
        (errors.Unavailable("No."), Exit.TRY_LATER),
        (errors.IdempotencyInProgress("No."), Exit.TRY_LATER),
        (errors.ProfileRequired("No."), Exit.FAILED),
        (errors.ApiError("No."), Exit.FAILED),
        (errors.ConnectionFailed("No."), Exit.FAILED),
        (errors.StillRunning("srch_a"), Exit.TIMEOUT),
        (SearchNotCompleted(decode(Search, FAILED)), Exit.FAILED),
    ],
    ids=lambda value: getattr(value, "code", type(value).__name__),
)
def test_a_failure_has_its_exit_code(error: errors.CitegridError, code: Exit) -> None:
    assert exits.code_of(error) is code


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"unknown": 1}',
        '{"base_url": null}',
        '{"base_url": "http://127.0.0.1:9", "api_key": 5}',
        "[" * 100_000,
    ],
    ids=["cut off", "a list", "unknown", "no address", "a number", "deep"],
)
def test_broken_settings_are_told_without_their_content(
    run: Run, tmp_path: Path, content: str
) -> None:
    (tmp_path / "citegrid" / "profiles").mkdir(parents=True)
    (tmp_path / "citegrid" / "profiles" / "work.json").write_text(content)
    done = run(in_turn(), "search", "list", "--profile", "work")
    assert (done.exit_code, "log in again" in done.stderr) == (Exit.FAILED, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(run: Run, shell: str) -> None:
    done = run(in_turn(), "completion", shell)
    assert "_CITEGRID_COMPLETE" in done.stdout


def test_no_option_takes_a_secret() -> None:
    options = {name for each in _every(commands) for p in each.params for name in p.opts}
    assert {"--password", "--api-key", "--token", "--secret"} & options == set()


def test_every_command_has_help_and_can_print_json() -> None:
    for each in _every(commands):
        assert each.help, each.name
        options = {name for p in each.params for name in p.opts}
        assert (
            "--json" in options
            or isinstance(each, click.Group)
            or each.name in {"completion", "mcp", "service"}
        )


def test_every_option_says_what_it_is_for() -> None:
    options = [x for each in _every(commands) for x in each.params if isinstance(x, click.Option)]
    assert [x.opts for x in options if not (x.help or x.hidden)] == []


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_is_there_at_every_level(run: Run, flag: str) -> None:
    for names in ([], ["search"], ["search", "list"], ["provider", "avatar", "save"]):
        assert run(in_turn(), *names, flag).stdout.startswith("Usage: citegrid")


def _every(command: click.Command) -> list[click.Command]:
    if not isinstance(command, click.Group):
        return [command]
    context = click.Context(command)
    below = [command.get_command(context, name) for name in command.list_commands(context)]
    return [command, *(each for child in below if child for each in _every(child))]
