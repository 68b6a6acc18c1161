"""What people are shown of sources: leads, excerpts, and where these stand in their pages."""

import json
from typing import Any

import httpx
import pytest
from answers import COMPLETED, EXCERPT, PAGE, accepted, completed, in_turn, snapshot
from conftest import RecordedRun, Run

from citegrid.cli.exits import Exit
from citegrid.cli.search import answers
from citegrid.cli.terminal import Terminal
from citegrid.nouns.search.search_results import Citation, Search
from citegrid.transport.codec import decode

UNANSWERED = completed(answered=False, answer="The sources do not say.", citations=[])


def answered(body: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json=body)


def test_every_source_is_printed_with_its_excerpts(run: Run) -> None:
    done = run(answered(UNANSWERED), "search", "get", "srch_a", "--sources")
    assert done.stdout == (
        "The sources do not say.\n"
        "\n"
        "[1] Barn owls\n"
        "    https://birds.example.org/owls\n"
        "    quality 0.83, stored 2026-11-20 08:00 UTC\n"
        "\n"
        "    Barn owls > Breeding\n"
        "    A clutch holds >>>four to seven eggs<<<.\n"
    )
    assert done.exit_code == Exit.WEAK


@pytest.mark.parametrize(
    ("headings", "printed"),
    [({}, "    Barn owls > Breeding, page 12\n"), ({"headings": []}, "    page 12\n")],
)
def test_the_page_of_a_document_is_printed(run: Run, headings: Any, printed: str) -> None:
    done = run(answered(completed({"page": 12, **headings})), "search", "get", "srch_a")
    assert printed in done.stdout


def test_excerpts_are_printed_only_when_wanted(run: Run) -> None:
    assert PAGE not in run(answered(UNANSWERED), "search", "get", "srch_a").stdout


def test_without_an_answer_what_comes_closest_is_printed_and_how_to_read_the_sources(
    run: Run,
) -> None:
    done = run(answered(UNANSWERED), "search", "get", "srch_a")
    assert done.stdout.endswith("    “four to seven eggs”\n")
    assert "citegrid search get srch_a --sources" in done.stderr


def test_an_excerpt_cannot_steer_the_terminal(run: Run) -> None:
    hostile = {**EXCERPT, "text": "\x1b]0;owned\x07\u202eeggs", "lead_start": 3, "lead_end": 10}
    body = completed()
    body["result"]["sources"][0]["excerpts"] = [{**hostile, "headings": ["\x9b2J", "a\nb"]}]
    done = run(answered(body), "search", "get", "srch_a", "--sources")
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stdout)


def test_asking_passes_on_how_much_is_wanted(recorded: RecordedRun) -> None:
    _, (asked,) = recorded(accepted(), "ask", "How many?", "--max-excerpt-chars", "300", "--detach")
    assert json.loads(asked.content) == {"query": "How many?", "max_excerpt_chars": 300}


def test_of_a_quote_the_part_is_printed_that_answers(run: Run) -> None:
    body = completed({"quote": PAGE, "start": 0, "end": 34, "lead_start": 15, "lead_end": 33})
    assert "    “four to seven eggs”\n" in run(answered(body), "search", "get", "srch_a").stdout


def test_the_part_of_an_answer_that_answers_is_bold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    cited = {"quote": PAGE, "start": 0, "end": 34, "lead_start": 15, "lead_end": 33}
    body = completed({**cited, "answer_end": 34}, answer=f"{PAGE} [1]")
    answers.show(Terminal(), decode(Search, body))
    assert "A clutch holds \x1b[1mfour to seven eggs\x1b[0m. [1]" in capsys.readouterr().out


def test_a_citation_of_before_there_were_leads_leads_as_a_whole() -> None:
    old = {name: value for name, value in _citation().items() if not name.startswith("lead_")}
    assert decode(Citation, old).lead == "four to seven eggs"


def _citation() -> dict[str, Any]:
    (citation,) = COMPLETED["result"]["citations"]
    return dict(citation)


def test_a_source_that_is_not_cited_is_opened_at_its_excerpts(run: Run) -> None:
    server = in_turn(answered(UNANSWERED), snapshot())
    done = run(server, "open", "srch_a", "1")
    assert f">>>{PAGE}<<<\n" in done.stdout
    assert done.exit_code == Exit.DONE


def test_an_excerpt_that_its_page_does_not_hold_exits_with_6(run: Run) -> None:
    server = in_turn(answered(UNANSWERED), snapshot("Another page."))
    assert run(server, "open", "srch_a", "1").exit_code == Exit.WEAK


def test_an_opened_excerpt_is_json_of_its_own(run: Run) -> None:
    server = in_turn(answered(UNANSWERED), snapshot())
    (passage,) = json.loads(run(server, "open", "srch_a", "1", "--json").stdout)["passages"]
    assert (passage["excerpt"], passage["verified"]) == (EXCERPT, True)
