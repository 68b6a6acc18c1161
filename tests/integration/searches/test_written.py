"""A model writes the answer: the whole walk, with a scripted endpoint in its place."""

import socket
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.config.settings import Settings
from tests import builders
from tests.scripted_model import Script, draft, scripted_model

PATH = "/external/v1/search"
QUESTION = "How many eggs does a barn owl lay in a clutch?"
WHOLE = "A clutch holds four to seven eggs, which hatch after 30 days."
TRUE = (WHOLE, [(1, WHOLE)])
LIE = ("A clutch holds nine eggs.", [(1, "A clutch holds four to seven eggs")])


def searched(
    client: FlaskClient,
    settings: Settings,
    owner: dict[str, str],
    *scripts: Script | Any,
    question: str = QUESTION,
    **changed: Any,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The finished search, and what the model was asked."""
    with scripted_model(*scripts) as server:
        configured = replace(settings, **{"model_url": server.url, "model_name": "tiny", **changed})
        id = client.post(PATH, json={"query": question}, headers=owner).json["id"]
        builders.work(configured, id)
    found: dict[str, Any] = client.get(f"{PATH}/{id}", headers=owner).json
    assert found["status"] == "completed"
    return found, server.asked


def test_the_answer_is_written_and_its_quotes_are_slices(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    found, _ = searched(client, settings, owner, draft(TRUE))
    result = found["result"]
    assert (result["answer"], result["answer_mode"]) == (f"{TRUE[0]} [1]", "written")
    (citation,) = result["citations"]
    path = f"{PATH}/{found['id']}/sources/{citation['source']}/snapshot"
    text = client.get(path, headers=owner).json["text"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert citation["support"] == "verified"


def test_stats_say_what_the_model_did(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    found, _ = searched(client, settings, owner, draft(TRUE, LIE))
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
    client: FlaskClient,
    settings: Settings,
    owner: dict[str, str],
    owls: None,
    script: Any,
    outcome: str,
) -> None:
    found, _ = searched(client, settings, owner, script)
    result = found["result"]
    assert (result["answer_mode"], result["answered"]) == ("extractive", True)
    assert "four to seven eggs" in result["answer"]
    assert result["stats"]["model"]["outcome"] == outcome
    assert any(warning.startswith(f"model_{outcome}: ") for warning in found["warnings"])


def test_a_model_that_does_not_answer_in_time_leaves_time_for_extracts(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/v1"
        found, _ = searched(client, settings, owner, draft(TRUE), model_url=url, model_seconds=1.2)
    assert found["result"]["answer_mode"] == "extractive"
    assert found["result"]["stats"]["model"]["outcome"] == "slow"


def test_a_second_look_is_had_when_it_is_configured(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    said = ("Barn owls weigh 250 to 480 grams.", [(1, "weighs between 250 and 480 grams")])
    agreed = '{"verdicts": [{"n": 1, "entailed": true}]}'
    found, asked = searched(
        client, settings, owner, draft(said), agreed,
        question="How much does a barn owl weigh in grams?", model_entailment=True,
    )  # fmt: skip
    assert len(asked) == 2
    assert [x["support"] for x in found["result"]["citations"]] == ["verified"]


def test_of_a_question_that_words_find_nothing_for_only_other_words_are_asked(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    question = "Which treaty ended the war of the roses between two kingdoms?"
    found, asked = searched(client, settings, owner, draft(TRUE), question=question)
    assert found["result"]["answered"] is False
    assert "hunts at night" not in str(asked)
    assert found["result"]["stats"]["model"]["outcome"] == "nothing_found"


def test_other_words_lead_to_an_answer(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    proposed = '{"queries": ["barn owl clutch eggs"]}'
    question = "What number of offspring does Tyto alba produce?"
    found, asked = searched(client, settings, owner, proposed, draft(TRUE), question=question)
    assert found["result"]["answer"] == f"{WHOLE} [1]"
    assert found["result"]["stats"]["model"]["queries"] == ["barn owl clutch eggs"]
    assert len(asked) == 2


def test_a_passage_goes_to_the_model_whole(
    client: FlaskClient, settings: Settings, owner: dict[str, str]
) -> None:
    lines = [f"Owls of county {n} lay {n} eggs in barns." for n in range(12)]
    items = "\n".join(f"- {line}" for line in lines)
    builders.indexed_page("https://birds.example.org/long", f"# Owls\n\nEggs of owls:\n\n{items}")
    _, asked = searched(client, settings, owner, draft(answered=False))
    listed = "\n".join(lines)
    assert f"Eggs of owls:\n\n{listed}" in asked[0]["messages"][1]["content"]


def test_without_a_model_an_extract_is_its_own_verified_quote(answered: dict[str, Any]) -> None:
    assert {x["support"] for x in answered["result"]["citations"]} == {"verified"}
    assert "model" not in answered["result"]["stats"]


def test_the_key_of_the_model_is_nowhere_in_the_result(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None, log_lines: Any
) -> None:
    secret = "sk-very-secret-model-key"
    found, _ = searched(client, settings, owner, 401, model_api_key=secret)
    assert secret not in str(found)
    assert secret not in log_lines.getvalue()
