"""`citegrid extract`, `jobs`, `monitor`, `workflow`, `verify` over answers that tests make up."""

import json
import os
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from answers import in_turn, refusal
from click.testing import Result
from conftest import Run
from job_answers import (
    CSV,
    DONE,
    FAILED,
    JOB,
    OTHER_EXAMPLE,
    REQUEST,
    VALIDATION,
    Jobs,
    page,
    record,
)

from citegrid.cli.exits import Exit
from citegrid.cli.records import job_results
from citegrid.cli.records.job_results import JobStatusLine
from citegrid.nouns.records.job_results import JobProgress

URL = "https://shop.example.org/1"
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.fixture
def run(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`run(server, "extract", ...)` in an empty folder with a schema in `schema.json`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return run


def extract(run: Run, server: Any, *arguments: str, stdin: str = "") -> Result:
    return run(server, "extract", "--schema", "schema.json", *arguments, stdin=stdin)


def test_extract_prints_the_records_as_a_table(run: Run) -> None:
    done = extract(run, Jobs(), URL)
    assert done.exit_code == Exit.DONE, done.output
    assert done.stdout == (
        "Lamp 1\t9.5\thttps://shop.example.org/1\nLamp 2\t-\thttps://shop.example.org/2\n"
    )


def test_extract_sends_the_schema_and_the_source(run: Run) -> None:
    server = Jobs()
    extract(run, server, URL, "--sample", "0.1", "--max-pages", "5", "--metadata", "team=a")
    assert server.body == {
        "type": "extraction",
        "source": {"type": "url", "url": URL},
        "schema": SCHEMA,
        "validation": {"sample_rate": 0.1},
        "max_pages": 5,
        "metadata": {"team": "a"},
    }


@pytest.mark.parametrize(
    ("arguments", "stdin", "source"),
    [
        ([URL, URL], "", {"type": "urls", "urls": [URL, URL]}),
        (["-"], f"{URL}\n{URL}2\n", {"type": "urls", "urls": [URL, f"{URL}2"]}),
        ([URL, "--sitemap"], "", {"type": "sitemap", "url": URL}),
        (
            [URL, "--crawl", "--max-depth", "0", "--include", "/docs/"],
            "",
            {"type": "crawl", "url": URL, "max_depth": 0, "include": ["/docs/"]},
        ),
        (["--search", "oak lamps"], "", {"type": "search", "query": "oak lamps"}),
    ],
)
def test_pages_come_from_addresses_sites_and_searches(
    run: Run, arguments: list[str], stdin: str, source: dict[str, Any]
) -> None:
    server = Jobs()
    extract(run, server, *arguments, stdin=stdin)
    assert server.body["source"] == source


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [URL, "--search", "x"],
        [URL, "--crawl", "--sitemap"],
        [URL, URL, "--crawl"],
        [URL, "--max-depth", "1"],
        [URL, "-o", "records.xlsx"],
        [URL, "--metadata", "team"],
        [URL, "--example", "schema.jsn"],
    ],
)
def test_options_that_do_not_go_together_are_refused_before_anything_is_asked(
    run: Run, arguments: list[str]
) -> None:
    server = Jobs()
    assert extract(run, server, *arguments).exit_code == Exit.USAGE
    assert server.asked == []


def test_a_schema_that_is_no_json_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text("{")
    done = extract(run, Jobs(), URL)
    assert (done.exit_code, "is not valid JSON" in done.stderr) == (Exit.USAGE, True)


def test_examples_teach_the_site(run: Run, tmp_path: Path) -> None:
    one = {"url": URL, "data": {"name": "Lamp 1"}}
    (tmp_path / "one.json").write_text(json.dumps(one))
    (tmp_path / "two.json").write_text(json.dumps([one, one]))
    server = Jobs()
    extract(run, server, URL, "--example", "one.json", "--example", "two.json")
    assert server.body["examples"] == [one, one, one]


def doubtful(*unsure: str) -> list[Any]:
    return [{**record(n), "unsure": list(unsure)} for n in (1, 2)]


def test_an_example_is_suggested_where_most_values_are_unsure(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["citegrid", "extract", "--schema", "a b.json", URL])
    done = extract(run, Jobs(records=doubtful("/name", "/price")), URL)
    assert "4 of 4 values are unsure. One example page raises accuracy" in done.stderr
    assert "try:  citegrid jobs correct job_a --set NAME=VALUE" in done.stderr
    assert "unsure" not in done.stdout


def test_an_example_is_not_suggested_where_it_would_not_help(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps({"url": URL, "data": {"name": "Lamp 1"}}))
    unsure = doubtful("/name", "/price")
    one_page = {**DONE, "progress": {**DONE["progress"], "pages_found": 1}}
    answers = [
        extract(run, Jobs(records=doubtful("/name")), URL),
        extract(run, Jobs(records=unsure), URL, "--example", "one.json"),
        extract(run, Jobs(one_page, records=unsure), URL),
    ]
    assert ["unsure" in each.stderr for each in answers] == [False, False, False]


def test_csv_is_written_as_the_server_writes_it(run: Run, tmp_path: Path) -> None:
    done = extract(run, Jobs(), URL, "-o", "records.csv")
    assert (tmp_path / "records.csv").read_bytes() == CSV
    assert (done.stdout, "records in records.csv: 2" in done.stderr) == ("", True)


def test_json_is_written_whole(run: Run, tmp_path: Path) -> None:
    extract(run, Jobs(), URL, "-o", "records.json")
    written = json.loads((tmp_path / "records.json").read_text())
    assert [each["data"]["name"] for each in written] == ["Lamp 1", "Lamp 2"]
    assert written[0]["provenance"][0]["quote"] == "Lamp 1"


def test_no_records_are_json_too(run: Run, tmp_path: Path) -> None:
    extract(run, Jobs(records=[]), URL, "-o", "records.json")
    assert json.loads((tmp_path / "records.json").read_text()) == []


@pytest.mark.parametrize("name", ["records.csv", "records.json"])
def test_records_for_a_pipe_go_through_it(run: Run, tmp_path: Path, name: str) -> None:
    pipe = tmp_path / name
    os.mkfifo(pipe)
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        extract(run, Jobs(), URL, "-o", name)
        assert (reader.read() != b"", pipe.is_fifo()) == (True, True)


def test_an_export_that_breaks_off_leaves_no_file(run: Run, tmp_path: Path) -> None:
    server = Jobs()
    server.records = [{"id": "rec_1"}]
    assert extract(run, server, URL, "-o", "records.json").exit_code == Exit.FAILED
    assert {path.name for path in tmp_path.iterdir()} == {"schema.json"}


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_records_that_could_not_be_written_are_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    monkeypatch.setattr(job_results, "write", Mock(side_effect=fault))
    done = extract(run, Jobs(), URL, "-o", "records.csv")
    assert done.exit_code in (Exit.FAILED, Exit.INTERRUPTED)
    assert "to get them:  citegrid jobs watch job_a -o records.csv\n" in done.stderr


def test_as_json_the_job_and_its_records_are_one_line(run: Run) -> None:
    done = extract(run, Jobs(), URL, "--json")
    shown = json.loads(done.stdout)
    assert (shown["job"]["id"], len(shown["records"])) == ("job_a", 2)


@pytest.mark.parametrize(
    "more", [{"stats": {"unsatisfied": 1}}, {"validation": VALIDATION}], ids=["schema", "sample"]
)
def test_what_is_weak_ends_with_six(run: Run, more: dict[str, Any]) -> None:
    done = extract(run, Jobs({**DONE, **more}), URL)
    assert done.exit_code == Exit.WEAK


def test_the_second_look_is_told_as_agreement(run: Run) -> None:
    done = extract(run, Jobs({**DONE, "validation": VALIDATION}), URL)
    assert "9 comparable, 8 agree (95 % interval: 51% to 99%)" in done.stderr


def test_a_second_look_that_compares_nothing_says_so(run: Run) -> None:
    nothing = {**VALIDATION, "compared": 0, "passed": 0, "failed": 0, "interval_95": None}
    done = extract(run, Jobs({**DONE, "validation": nothing}), URL)
    assert "10 records checked by a second extraction, none comparable" in done.stderr


def test_a_failed_job_says_why(run: Run) -> None:
    done = extract(run, Jobs(FAILED), URL)
    assert done.exit_code == Exit.FAILED
    assert "Nothing was read. (source_unreadable)" in done.stderr


def test_detached_only_the_id_is_printed(run: Run) -> None:
    server = Jobs()
    done = extract(run, server, URL, "--detach")
    assert (done.stdout, len(server.asked)) == ("job_a\n", 1)
    assert "citegrid jobs watch job_a" in done.stderr


def test_interrupted_the_job_goes_on_and_how_to_go_on_is_said(run: Run) -> None:
    def interrupted(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(202, json=JOB)
        raise KeyboardInterrupt

    done = extract(run, interrupted, URL, "-o", "records.csv")
    assert done.exit_code == Exit.INTERRUPTED
    assert "job_a continues in the background" in done.stderr
    assert "citegrid jobs watch job_a -o records.csv" in done.stderr


def at(done: int, found: int = 1_000, failed: int = 0) -> JobProgress:
    return JobProgress(0, "reading", found, done, failed, 3 * done)


def test_progress_is_one_line_with_the_time_that_is_left() -> None:
    moments = iter([100.0, 110.0])
    reading = JobStatusLine(lambda: next(moments))
    assert reading(at(400)) == "Reading  400 of 1,000 pages, 1,200 records"
    assert reading(at(412, failed=3)) == (
        "Reading  412 of 1,000 pages, 3 failed, 1,236 records, 8:10 left"
    )


def test_before_pages_are_known_progress_is_the_stage() -> None:
    assert JobStatusLine()(at(0, found=0)) == "Reading"


def test_jobs_are_listed_with_tabs_for_programs(run: Run) -> None:
    done = run(Jobs(), "jobs", "list")
    assert done.stdout == "job_a\textraction\tcompleted\t2026-11-22 09:00\t2\n"


def test_a_job_is_shown_in_one_line(run: Run) -> None:
    done = run(Jobs(JOB), "jobs", "show", "job_a")
    assert done.stdout == "job_a running: Reading  1 of 2 pages, 1 record\n"


def test_a_job_is_watched_to_its_end(run: Run, tmp_path: Path) -> None:
    assert run(Jobs(), "jobs", "watch", "job_a", "-o", "r.csv").exit_code == Exit.DONE
    assert (tmp_path / "r.csv").read_bytes() == CSV


def test_records_are_printed_while_a_job_runs(run: Run) -> None:
    done = run(Jobs(JOB, [record(7)]), "jobs", "records", "job_a", "--min-confidence", "0.5")
    assert done.stdout == "Lamp 7\t9.5\thttps://shop.example.org/7\n"


@pytest.mark.parametrize("command", ["cancel", "rerun"])
def test_jobs_are_cancelled_and_started_again(run: Run, command: str) -> None:
    done = run(Jobs(), "jobs", command, "job_a")
    assert done.stdout.startswith("job_a")


def test_a_corrected_record_is_the_first_example_of_a_new_job(run: Run) -> None:
    server = Jobs()
    done = run(server, "jobs", "correct", "job_a", "--set", "name=Oak lamp", "--set", "price=12.5")
    assert (done.exit_code, done.stdout.startswith("job_a")) == (Exit.DONE, True)
    sent = json.loads(server.asked[-1].content)
    corrected = {"name": "Oak lamp", "price": 12.5}
    assert sent == {
        **REQUEST["request"],
        "examples": [{"url": "https://shop.example.org/1", "data": corrected}, OTHER_EXAMPLE],
    }


def test_another_record_than_the_first_is_corrected_and_a_wrong_value_left_out(run: Run) -> None:
    server = Jobs()
    run(server, "jobs", "correct", "job_a", "--record", "rec_2", "--set", "price=")
    sent = json.loads(server.asked[-1].content)
    assert sent["examples"][0] == {"url": "https://shop.example.org/2", "data": {"name": "Lamp 2"}}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--set", "colour=red"], "--set must be NAME=VALUE"),
        (["--set", "price=dear"], "--set price must be JSON"),
        (["--set", "name=x", "--record", "rec_7"], "The job has no such record"),
    ],
)
def test_what_cannot_be_corrected_is_said(run: Run, arguments: list[str], why: str) -> None:
    server = Jobs()
    done = run(server, "jobs", "correct", "job_a", *arguments)
    assert (done.exit_code, why in done.stderr) == (Exit.USAGE, True)
    assert "POST" not in {each.method for each in server.asked}


@pytest.mark.parametrize(
    ("arguments", "schedule"),
    [
        (["--every", "1d"], {"every": "1d"}),
        (["--cron", "0 7 * * *"], {"cron": "0 7 * * *"}),
        (
            ["--cron", "0 7 * * *", "--timezone", "Europe/Berlin"],
            {"cron": "0 7 * * *", "timezone": "Europe/Berlin"},
        ),
    ],
)
def test_a_monitor_has_a_schedule(run: Run, arguments: list[str], schedule: Any) -> None:
    server = Jobs()
    done = run(server, "monitor", "add", URL, "--track", "/price", *arguments)
    assert done.stdout == "job_a\n"
    assert (server.body["type"], server.body["track"]) == ("monitoring", ["/price"])
    assert server.body["schedule"] == schedule


@pytest.mark.parametrize(
    "arguments", [[], ["--every", "1d", "--cron", "x"], ["--every", "1d", "--timezone", "UTC"]]
)
def test_a_monitor_without_one_schedule_is_refused(run: Run, arguments: list[str]) -> None:
    assert run(Jobs(), "monitor", "add", URL, *arguments).exit_code == Exit.USAGE


def test_changes_are_shown_field_by_field(run: Run) -> None:
    change = {
        "id": "chg_a",
        "run": "run_a",
        "url": URL,
        "verdict": "changed",
        "record": "rec_1",
        "fields": [
            {"pointer": "/price", "previous": {"value": 9.5}, "current": {"value": 8.5}},
            {"pointer": "/stock", "previous": {"value": "in"}, "current": None},
            {
                "pointer": "/fee",
                "previous": {"value": 4, "quote": "$ 4.00"},
                "current": {"value": 4, "quote": "€ 4.00"},
            },
        ],
        "difference": None,
        "snapshot": None,
        "previous_snapshot": None,
        "moved_to": None,
        "returned": False,
        "created_at": "2026-11-22T09:00:00Z",
    }
    done = run(lambda _: page("changes", [change]), "monitor", "changes", "job_a")
    assert done.stdout == (
        f'2026-11-22 09:00 UTC  changed  {URL}\n  /price: 9.5 → 8.5\n  /stock: "in" → nothing\n'
        "  /fee: “$ 4.00” → “€ 4.00”\n"
    )


@pytest.mark.parametrize("form", [{"steps": [{"id": "a"}]}, [{"id": "a"}]])
def test_a_workflow_is_a_file_of_steps(run: Run, tmp_path: Path, form: Any) -> None:
    (tmp_path / "flow.json").write_text(json.dumps(form))
    server = Jobs()
    run(server, "workflow", "run", "flow.json", "--detach")
    assert server.body == {"type": "workflow", "steps": [{"id": "a"}]}


def test_the_secret_of_a_new_webhook_is_shown_however_quiet_the_command(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "flow.json").write_text("[]")
    job = {**JOB, "webhook": {"id": "wh_a", "secret": "whsec_a"}}
    answers = in_turn(httpx.Response(202, json=job), refusal(404, "job_not_found"))
    done = run(answers, "workflow", "run", "flow.json", "--quiet")
    assert done.stderr.startswith("webhook secret:  whsec_a\n")


@pytest.mark.parametrize(
    ("live", "code"), [("found", Exit.DONE), ("moved", Exit.DONE), ("gone", Exit.WEAK)]
)
def test_a_quote_is_looked_up_where_it_was_and_where_it_is(run: Run, live: str, code: Exit) -> None:
    stored = {"result": "found", "start": 3, "end": 9, "match": "exact"}
    answer = {
        "id": None,
        "status": "completed",
        "stored": stored,
        "live": {"result": live, "difference": "- a\n+ b"},
        "live_error": None,
    }
    done = run(lambda _: httpx.Response(200, json=answer), "verify", URL, "Lamp 1")
    assert done.exit_code == code
    assert done.stdout.startswith(f"stored: found at characters 3-9\nlive: {live}\n")
