"""`citegrid chat` and `citegrid models` over answers that tests make up."""

import json

import httpx
from answers import Recording
from chat_answers import OFFER, PIECES, piece, stream
from conftest import RecordedRun, Run

from citegrid.cli.exits import Exit

MODEL = {"id": "example/model-7b", "object": "model", "created": 0, "owned_by": "providers"}


def test_an_answer_is_printed_as_it_comes_and_its_price_beside_it(run: Run) -> None:
    done = run(stream(*PIECES), "chat", "--model", "m", "hi")
    assert done.exit_code == Exit.DONE
    assert done.stdout == "Hello world\n"
    assert done.stderr == "11 tokens, 0.000013 USD\n"


def test_a_program_gets_the_answer_whole_with_its_usage(run: Run) -> None:
    done = run(stream(*PIECES), "chat", "--model", "m", "--json", "hi")
    answer = json.loads(done.stdout)
    assert (answer["text"], answer["usage"]["total_tokens"]) == ("Hello world", 11)


def test_the_words_and_the_selected_offer_are_sent(recorded: RecordedRun) -> None:
    selected = ("--offer", OFFER, "--revision", "3", "--max-tokens", "9", "--system", "Be brief.")
    _, (asked,) = recorded(stream(*PIECES), "chat", "--model", "m", *selected, "Why", "blue?")
    assert json.loads(asked.content) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why blue?"},
        ],
        "stream": True,
        "provider_selection": {"offer_id": OFFER, "pricing_revision": 3},
        "max_tokens": 9,
    }


def test_the_words_may_come_from_stdin(run: Run) -> None:
    server = Recording(stream(*PIECES))
    run(server, "chat", "--model", "m", "-", stdin="Of stdin")
    said = json.loads(server.asked[0].content)["messages"]
    assert said == [{"role": "user", "content": "Of stdin"}]


def test_an_answer_that_ends_with_an_error_fails_after_what_came(run: Run) -> None:
    failed = {"error": {"code": "provider_failed", "message": "No.", "request_id": "req_a"}}
    done = run(stream(piece("Once"), failed, done=False), "chat", "--model", "m", "hi")
    assert done.exit_code != Exit.DONE
    assert done.stdout.startswith("Once")
    assert "provider_failed" in done.stderr


def test_models_are_printed_a_line_each(run: Run) -> None:
    answer = httpx.Response(200, json={"object": "list", "data": [MODEL]})
    assert run(answer, "models").stdout == "example/model-7b\n"
