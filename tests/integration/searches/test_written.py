"""A model writes the answer: the whole walk, with a scripted endpoint in its place."""

import socket
from typing import Any

import pytest

from tests import builders
from tests.integration.searches.asking import QUESTION, Asking
from tests.scripted_model import Script, draft, scripted_model

WHOLE = "A clutch holds four to seven eggs, which hatch after 30 days."
TRUE = (WHOLE, [(1, WHOLE)])
LIE = ("A clutch holds nine eggs.", [(1, "A clutch holds four to seven eggs")])


def searched(
    ada: Asking, *scripts: Script | Any, question: str = QUESTION, **changed: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The finished search, and what the model was asked."""
    with scripted_model(*scripts) as server:
        model = {"model_url": server.url, "model_name": "tiny", **changed}
        return ada.configured(**model).ask(question), server.asked


def test_the_answer_is_written_and_its_quotes_are_slices(ada: Asking, owls: None) -> None:
    found, _ = searched(ada, draft(TRUE))
    result = found["result"]
    assert (result["answer"], result["answer_mode"]) == (f"{TRUE[0]} [1]", "written")
    (citation,) = result["citations"]
    text = ada.snapshot(found["id"], citation["source"])["text"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert citation["support"] == "verified"


def test_stats_say_what_the_model_did(ada: Asking, owls: None) -> None:
    found, _ = searched(ada, draft(TRUE, LIE))
    model = found["result"]["stats"]["model"]
    assert model.pop("seconds") > 0
    assert model == {
        "name": "tiny",
        "outcome": "ok",
        "rounds": 1,
        "queries": [],
        "input_tokens": 100,
        "output_tokens": 20,
        "sentences": {"written": 2, "verified": 1, "lexical": 0, "dropped": 1},
    }
    assert {"writing", "checking quotes"} <= found["result"]["stats"]["seconds"].keys()


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        (draft(LIE), "unsupported"),
        ("no json", "not_json"),
        (500, "broken"),
        (401, "blocked"),
        (b"data: junk\n\n", "broken"),
    ],
)
def test_when_the_model_is_of_no_use_the_answer_is_extracts_and_a_warning_says_why(
    ada: Asking, owls: None, script: Any, outcome: str
) -> None:
    found, _ = searched(ada, script)
    result = found["result"]
    assert (result["answer_mode"], result["answered"]) == ("extractive", True)
    assert "four to seven eggs" in result["answer"]
    assert result["stats"]["model"]["outcome"] == outcome
    assert any(warning.startswith(f"model_{outcome}: ") for warning in found["warnings"])


def test_a_model_that_does_not_answer_in_time_leaves_time_for_extracts(
    ada: Asking, owls: None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/v1"
        found, _ = searched(ada, draft(TRUE), model_url=url, model_seconds=1.2)
    assert found["result"]["answer_mode"] == "extractive"
    assert found["result"]["stats"]["model"]["outcome"] == "slow"


def test_a_second_look_is_had_when_it_is_configured(ada: Asking, owls: None) -> None:
    said = ("Barn owls weigh 250 to 480 grams.", [(1, "weighs between 250 and 480 grams")])
    agreed = '{"verdicts": [{"n": 1, "entailed": true}]}'
    found, asked = searched(
        ada, draft(said), agreed,
        question="How much does a barn owl weigh in grams?", model_entailment=True,
    )  # fmt: skip
    assert len(asked) == 2
    assert [x["support"] for x in found["result"]["citations"]] == ["verified"]


def test_of_a_question_that_words_find_nothing_for_only_other_words_are_asked(
    ada: Asking, owls: None
) -> None:
    question = "Which treaty ended the war of the roses between two kingdoms?"
    found, asked = searched(ada, draft(TRUE), question=question)
    assert found["result"]["answered"] is False
    assert "hunts at night" not in str(asked)
    assert found["result"]["stats"]["model"]["outcome"] == "nothing_found"


def test_other_words_lead_to_an_answer(ada: Asking, owls: None) -> None:
    proposed = '{"queries": ["barn owl clutch eggs"]}'
    question = "What number of offspring does Tyto alba produce?"
    found, asked = searched(ada, proposed, draft(TRUE), question=question)
    assert found["result"]["answer"] == f"{WHOLE} [1]"
    assert found["result"]["stats"]["model"]["queries"] == ["barn owl clutch eggs"]
    assert len(asked) == 2


def test_a_passage_goes_to_the_model_whole(ada: Asking) -> None:
    lines = [f"Owls of county {n} lay {n} eggs in barns." for n in range(12)]
    items = "\n".join(f"- {line}" for line in lines)
    builders.indexed_page("https://birds.example.org/long", f"# Owls\n\nEggs of owls:\n\n{items}")
    _, asked = searched(ada, draft(answered=False))
    listed = "\n".join(lines)
    assert f"Eggs of owls:\n\n{listed}" in asked[0]["messages"][1]["content"]


def test_without_a_model_an_extract_is_its_own_verified_quote(answered: dict[str, Any]) -> None:
    assert {x["support"] for x in answered["result"]["citations"]} == {"verified"}
    assert "model" not in answered["result"]["stats"]


def test_the_key_of_the_model_is_nowhere_in_the_result(
    ada: Asking, owls: None, log_lines: Any
) -> None:
    secret = "sk-very-secret-model-key"
    found, _ = searched(ada, 401, model_api_key=secret)
    assert secret not in str(found)
    assert secret not in log_lines.getvalue()
