"""A search that names a persona uses its memory, and says which."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.integration.memories.conftest import PATH, Rememberer
from tests.scripted_model import Script, draft, scripted_model

SEARCH = "/external/v1/search"
QUESTION = "How many eggs does a barn owl lay in a clutch?"
NAMING = {"query": QUESTION, "persona_id": "me"}
WHOLE = "The clutch of a barn owl holds four to seven eggs, which hatch after 30 days."
PAGE = f"# Barn owls\n\n{WHOLE} Both parents feed the young.\n"
SITES = ("birds.example.org", "owls.example.net")
OTHER_PAGE = """# The barn owl

In April the clutch of a barn owl has four to seven eggs, and the hen sits on the eggs alone.
"""
ANSWER = draft((WHOLE, [(1, WHOLE)]))


@pytest.fixture
def owls(settings: Settings) -> None:
    """Two sites that answer, each in its words, and one that does not."""
    builders.indexed_page(f"https://{SITES[0]}/owls", PAGE)
    builders.indexed_page(f"https://{SITES[1]}/owls", OTHER_PAGE)
    builders.indexed_page("https://farms.example.org/", "# Farms\n\nA barn is made of wood.\n")


def ask(who: Rememberer, settings: Settings, **given: Any) -> dict[str, Any]:
    """The finished search."""
    body = {**NAMING, **given}
    id = who.ask("POST", SEARCH, json=body).get_json()["id"]
    builders.work(settings, id)
    search: dict[str, Any] = who.ask("GET", f"{SEARCH}/{id}").get_json()
    assert search["status"] == "completed"
    return search


def ask_model(
    who: Rememberer, settings: Settings, *scripts: Script | Any, **given: Any
) -> tuple[dict[str, Any], str]:
    """The finished search, and all that the model was sent."""
    with scripted_model(*scripts or (ANSWER,)) as model:
        configured = replace(settings, model_url=model.url, model_name="tiny")
        return ask(who, configured, **given), str(model.asked)


@pytest.mark.usefixtures("owls")
@pytest.mark.parametrize("liked", SITES)
def test_a_preferred_site_comes_first(ada: Rememberer, settings: Settings, liked: str) -> None:
    memory = ada.remember(f"Prefer {liked}", type="preference")
    result = ask(ada, settings)["result"]
    assert liked in result["sources"][0]["url"]
    used = {"id": memory["id"], "type": "preference", "used_for": "ranking"}
    assert result["memories"] == [used]


@pytest.mark.usefixtures("owls")
def test_neither_a_preference_that_nothing_meets_nor_a_text_without_a_model_is_used(
    ada: Rememberer, settings: Settings
) -> None:
    ada.remember("Prefer example.com", type="preference")
    ada.remember("Keeps a barn owl called Minerva")
    assert ask(ada, settings)["result"]["memories"] == []


@pytest.mark.usefixtures("owls")
def test_instructions_and_facts_of_the_question_reach_the_model(
    ada: Rememberer, settings: Settings
) -> None:
    told = [
        ada.remember("Write for children", type="instruction"),
        ada.remember("Keeps a barn owl called Minerva"),
    ]
    untold = [
        ada.remember("Lives in Rome"),
        ada.remember("Married in May", type="event"),
        ada.remember("Likes tea", type="preference"),
    ]
    search, sent = ask_model(ada, settings)
    assert not any(memory["content"] in str(search) for memory in told + untold)
    assert [memory["content"] in sent for memory in told] == [True, True]
    assert [memory["content"] in sent for memory in untold] == [False, False, False]
    assert [(used["id"], used["used_for"]) for used in search["result"]["memories"]] == [
        (memory["id"], "answer") for memory in told
    ]


@pytest.mark.usefixtures("owls")
def test_a_search_that_names_no_persona_uses_no_memory(ada: Rememberer, settings: Settings) -> None:
    ada.remember("Write for children", type="instruction")
    ada.remember(f"Prefer {SITES[1]}", type="preference")
    with scripted_model(ANSWER) as model:
        configured = replace(settings, model_url=model.url, model_name="tiny")
        id = ada.ask("POST", SEARCH, json={"query": QUESTION}).get_json()["id"]
        builders.work(configured, id)
    assert "children" not in str(model.asked)
    assert "memories" not in ada.ask("GET", f"{SEARCH}/{id}").get_json()["result"]


def refusal(who: Rememberer) -> tuple[int, str]:
    """What a search that names a persona is answered with."""
    answer = who.ask("POST", SEARCH, json=NAMING)
    return answer.status_code, answer.get_json()["error"]["code"]


def test_a_persona_that_is_unknown_or_of_another_account_is_not_found(
    ada: Rememberer, bob: Rememberer
) -> None:
    assert refusal(bob) == (404, "persona_not_found")
    ada.remember("Write for children", type="instruction")
    assert refusal(bob) == (404, "persona_not_found")


def test_a_key_for_searches_alone_names_no_persona(ada: Rememberer, settings: Settings) -> None:
    ada.remember("Write for children", type="instruction")
    with db.transaction() as tx:
        account = db.value(tx, "select id from accounts where email = 'ada@example.org'")
        key = builders.api_key(tx, settings, account, ("search",))
    assert refusal(replace(ada, headers={"X-API-Key": key})) == (403, "api_key_scope")


def test_a_search_that_was_accepted_is_answered_again_without_its_persona(ada: Rememberer) -> None:
    ada.remember("Write for children", type="instruction")
    once = {"Idempotency-Key": "once"}
    first = ada.ask("POST", SEARCH, json=NAMING, headers=once)
    ERASING["all"](ada, "")
    again = ada.ask("POST", SEARCH, json=NAMING, headers=once)
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.get_json() == first.get_json()


@pytest.mark.usefixtures("owls")
def test_a_persona_that_is_erased_before_its_search_is_done_is_said_to_be_unknown(
    ada: Rememberer, settings: Settings
) -> None:
    ada.remember("Write for children", type="instruction")
    id = ada.ask("POST", SEARCH, json=NAMING).get_json()["id"]
    ERASING["all"](ada, "")
    builders.work(settings, id)
    search = ada.ask("GET", f"{SEARCH}/{id}").get_json()
    assert search["warnings"][0].startswith("persona_unknown")


Erase = Callable[[Rememberer, str], object]
ERASING: dict[str, Erase] = {
    "one": lambda who, id: who.ask("DELETE", f"{PATH}/{id}"),
    "all": lambda who, _: who.ask("DELETE", query_string={"confirm": "me"}),
}


@pytest.mark.usefixtures("owls")
@pytest.mark.parametrize("how", ERASING)
def test_an_erased_memory_takes_the_answers_it_went_into_along(
    ada: Rememberer, settings: Settings, how: str
) -> None:
    memory = ada.remember("Write for children", type="instruction")
    search, _ = ask_model(ada, settings)
    ERASING[how](ada, memory["id"])
    assert ada.ask("GET", f"{SEARCH}/{search['id']}").status_code == 404


@pytest.mark.usefixtures("owls")
def test_answers_made_of_pages_alone_stay(ada: Rememberer, settings: Settings) -> None:
    memory = ada.remember(f"Prefer {SITES[1]}", type="preference")
    search = ask(ada, settings)
    ada.ask("DELETE", f"{PATH}/{memory['id']}")
    assert ada.ask("GET", f"{SEARCH}/{search['id']}").status_code == 200


@pytest.mark.usefixtures("owls")
def test_an_answer_whose_memory_is_erased_while_it_is_written_is_not_kept(
    ada: Rememberer, settings: Settings
) -> None:
    memory = ada.remember("Write for children", type="instruction")

    def erase_meanwhile(_: dict[str, Any]) -> str:
        ada.ask("DELETE", f"{PATH}/{memory['id']}")
        return ANSWER

    with scripted_model(erase_meanwhile) as model:
        configured = replace(settings, model_url=model.url, model_name="tiny")
        id = ada.ask("POST", SEARCH, json=NAMING).get_json()["id"]
        builders.work(configured, id)
    assert ada.ask("GET", f"{SEARCH}/{id}").status_code == 404
