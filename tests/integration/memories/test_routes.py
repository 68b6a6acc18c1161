"""Storing, reading, changing and erasing memories over HTTP."""

from typing import Any

import orjson
import pytest

from app.core import db
from app.domains.search.memories import service
from tests.databases import become_owner
from tests.integration.memories.conftest import PATH, Rememberer


def code(answer: Any) -> str:
    return str(answer.get_json()["error"]["code"])


def test_a_memory_comes_back_as_it_was_stored(ada: Rememberer) -> None:
    given = {"type": "preference", "tags": ["reading"], "expires_at": "2090-01-01T00:00:00Z"}
    memory = ada.remember("Prefer docs.python.org", **given)
    shown = ada.ask("GET", f"{PATH}/{memory['id']}").get_json()["memory"]
    assert shown == memory
    assert {name: memory[name] for name in ("content", "source", "visibility", "version")} == {
        "content": "Prefer docs.python.org",
        "source": "user_approved",
        "visibility": "private",
        "version": 1,
    }
    assert {name: memory[name] for name in given} == given


def test_without_approval_nothing_is_stored(ada: Rememberer) -> None:
    for source in ("inferred", "", None, 1, "absent"):
        body = {"type": "fact", "content": "Owns a boat", "source": source}
        if source == "absent":
            del body["source"]
        answer = ada.ask("POST", json=body)
        assert (answer.status_code, code(answer)) == (400, "approval_required"), source
        assert ada.ask("GET").status_code == 404, source


def test_what_does_not_fit_is_named(ada: Rememberer) -> None:
    for given, field in (
        ({"type": "guess"}, "/type"),
        ({"content": " "}, "/content"),
        ({"content": "x" * 8_001}, "/content"),
        ({"visibility": "public"}, "/visibility"),
        ({"tags": [str(n) for n in range(21)]}, "/tags"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "/expires_at"),
        ({"supersedes": "mem_aerxk6j2c5hnzb7qv3mfwd4lya"}, "/supersedes"),
    ):
        answer = ada.ask("POST", json={**_fact("Owns a car"), **given})
        assert answer.status_code == 400, given
        assert [detail["field"] for detail in answer.get_json()["error"]["details"]] == [field]


def test_a_persona_has_a_plain_name(ada: Rememberer) -> None:
    answer = ada.ask("POST", "/v1/personas/a.b/memory", json=_fact("Owns a boat"))
    assert answer.get_json()["error"]["details"][0]["field"] == "/persona_id"
    for method in ("GET", "DELETE"):
        answer = ada.ask(method, "/v1/personas/%00/memory", query_string={})
        assert answer.status_code == 404


def test_an_exact_duplicate_is_the_stored_one(ada: Rememberer) -> None:
    memory = ada.remember("Owns a boat", tags=["sea", "boats"])
    answer = ada.store("Owns a boat", tags=["boats", "sea"])
    assert (answer.status_code, answer.get_json()["memory"]) == (200, memory)
    assert answer.headers["X-API-Status"] == "preview"


def test_a_key_of_idempotency_makes_one_memory(ada: Rememberer) -> None:
    once = {"Idempotency-Key": "once"}
    answers = [ada.ask("POST", json=_fact("Owns a boat"), headers=once) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].get_json() == answers[1].get_json()


def test_a_change_is_a_version_and_the_former_one_is_kept(ada: Rememberer) -> None:
    memory = ada.remember("Lives in Paris", tags=["home"])
    path = f"{PATH}/{memory['id']}"
    same = ada.ask("PATCH", path, json={"content": "Lives in Paris"})
    assert same.get_json()["memory"]["version"] == 1
    inferred = ada.ask("PATCH", path, json={"content": "Lives in Rome", "source": "inferred"})
    assert code(inferred) == "approval_required"
    ada.ask("PATCH", path, json={"content": "Lives in Rome"})
    changed = ada.ask("GET", path).get_json()["memory"]
    assert (changed["content"], changed["version"], changed["tags"]) == (
        "Lives in Rome",
        2,
        ["home"],
    )
    assert [(v["version"], v["content"]) for v in changed["history"]] == [(1, "Lives in Paris")]
    other = ada.remember("Lives in Oslo", tags=["home"])
    into = ada.ask("PATCH", f"{PATH}/{other['id']}", json={"content": "Lives in Rome"})
    assert code(into) == "memory_exists"


def test_a_superseded_memory_is_read_by_its_id_only_and_not_changed(ada: Rememberer) -> None:
    old = ada.remember("Lives in Paris")
    new = ada.remember("Lives in Rome", supersedes=old["id"])
    assert ada.contents() == ["Lives in Rome"]
    shown = ada.ask("GET", f"{PATH}/{old['id']}").get_json()["memory"]
    assert (shown["superseded_by"], new["supersedes"]) == (new["id"], old["id"])
    change = {"content": "Lives in Oslo"}
    assert code(ada.ask("PATCH", f"{PATH}/{old['id']}", json=change)) == "memory_superseded"


def test_a_memory_is_superseded_by_one_that_is_there_already(ada: Rememberer) -> None:
    old, known = ada.remember("Lives in Paris"), ada.remember("Lives in Rome")
    answer = ada.store("Lives in Rome", supersedes=old["id"])
    assert (answer.status_code, answer.get_json()["memory"]["id"]) == (200, known["id"])
    assert ada.contents() == ["Lives in Rome"]


def test_a_list_is_filtered_by_type_and_tag(ada: Rememberer) -> None:
    ada.remember("Likes tea", type="preference", tags=["drinks"])
    ada.remember("Owns a kettle", tags=["drinks"])
    ada.remember("Owns a boat")
    assert ada.contents(tag="drinks") == ["Owns a kettle", "Likes tea"]
    assert ada.contents(tag="drinks", type="fact") == ["Owns a kettle"]


def test_a_question_ranks_what_shares_a_word_with_it(ada: Rememberer) -> None:
    ada.remember("The boat lies in the harbour of Genoa")
    ada.remember("Sails on Sundays, mostly with the old boat, rarely with a new one")
    ada.remember("Likes tea")
    assert ada.contents(q="where does the boat lie?") == [
        "The boat lies in the harbour of Genoa",
        "Sails on Sundays, mostly with the old boat, rarely with a new one",
    ]


def test_pages_of_a_list_follow_each_other(ada: Rememberer) -> None:
    for n in range(3):
        ada.remember(f"Fact {n}")
    first = ada.ask("GET", query_string={"limit": 2}).get_json()
    assert (len(first["memory"]), first["has_more"]) == (2, True)
    assert ada.contents(limit=2, cursor=first["next_cursor"]) == ["Fact 0"]


def test_an_export_has_everything_with_its_history(ada: Rememberer) -> None:
    old = ada.remember("Lives in Paris")
    new = ada.remember("Lives in Rome", supersedes=old["id"])
    ada.ask("PATCH", f"{PATH}/{new['id']}", json={"content": "Lives in Rome, by the river"})
    answer = ada.ask("GET", f"{PATH}/export")
    lines = [orjson.loads(line) for line in answer.data.splitlines()]
    assert answer.mimetype == "application/x-ndjson"
    assert [line["content"] for line in lines] == ["Lives in Paris", "Lives in Rome, by the river"]
    assert [version["content"] for version in lines[1]["history"]] == ["Lives in Rome"]


def test_an_erased_memory_is_gone_with_its_versions_and_the_last_with_its_key(
    ada: Rememberer,
) -> None:
    first, last = (f"{PATH}/{ada.remember(content)['id']}" for content in ("Paris", "Oslo"))
    ada.ask("PATCH", first, json={"content": "Rome"})
    assert ada.ask("DELETE", first).status_code == 204
    assert code(ada.ask("GET", first)) == "memory_not_found"
    assert (rows("memories"), rows("memory_versions"), rows("memory_keys")) == (1, 0, 1)
    ada.ask("DELETE", last)
    assert rows("memory_keys") == 0


def rows(table: str) -> int:
    with db.transaction() as tx:
        become_owner(tx)
        return int(db.value(tx, f"select count(*) from {table}"))  # type: ignore[arg-type]  # noqa: S608


def test_a_persona_is_erased_by_its_name_only_and_alone(ada: Rememberer) -> None:
    ada.remember("Owns a boat")
    ada.ask("POST", "/v1/personas/work/memory", json=_fact("Writes reports"))
    for query in ({}, {"confirm": "you"}):
        assert ada.ask("DELETE", query_string=query).status_code == 400
    assert ada.contents() == ["Owns a boat"]
    assert ada.ask("DELETE", query_string={"confirm": "me"}).status_code == 204
    assert code(ada.ask("GET")) == "persona_not_found"
    assert rows("memory_keys") == rows("memories") == 1
    left = ada.ask("GET", "/v1/personas/work/memory").get_json()["memory"]
    assert [memory["content"] for memory in left] == ["Writes reports"]


def _fact(content: str) -> dict[str, str]:
    return {"type": "fact", "content": content, "source": "user_approved"}


def test_a_persona_has_only_so_many(ada: Rememberer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_OF_PERSONA", 1)
    memory = ada.remember("Owns a boat")
    assert code(ada.store("Owns a car")) == "persona_full"
    assert ada.store("Owns a car", supersedes=memory["id"]).status_code == 201


def test_only_the_last_versions_are_kept(ada: Rememberer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_VERSIONS", 2)
    path = f"{PATH}/{ada.remember('0')['id']}"
    for n in range(1, 5):
        ada.ask("PATCH", path, json={"content": str(n)})
    history = ada.ask("GET", path).get_json()["memory"]["history"]
    assert [version["content"] for version in history] == ["3", "2"]


def test_personas_are_listed_by_name_with_how_much_each_remembers(ada: Rememberer) -> None:
    assert ada.ask("GET", "/v1/personas").get_json()["personas"] == []
    former = ada.remember("Owns a boat")
    ada.remember("Owns two boats", supersedes=former["id"])
    for content in ("Likes tea", "Likes rain"):
        ada.ask("POST", "/v1/personas/at-home/memory", json=_fact(content))
    listed = ada.ask("GET", "/v1/personas").get_json()
    assert [(each["persona_id"], each["memories"]) for each in listed["personas"]] == [
        ("at-home", 2),
        ("me", 1),
    ]
    assert listed["has_more"] is False


def test_personas_deleted_between_two_pages_hide_no_others(ada: Rememberer) -> None:
    for name in "abcd":
        ada.ask("POST", f"/v1/personas/{name}/memory", json=_fact("Likes tea"))
    first = ada.ask("GET", "/v1/personas", query_string={"limit": 2}).get_json()
    for each in first["personas"]:
        name = each["persona_id"]
        path = f"/v1/personas/{name}/memory"
        assert ada.ask("DELETE", path, query_string={"confirm": name}).status_code == 204
    query = {"limit": 2, "cursor": first["next_cursor"]}
    last = ada.ask("GET", "/v1/personas", query_string=query).get_json()
    seen = [each["persona_id"] for each in first["personas"] + last["personas"]]
    assert (sorted(seen), last["has_more"]) == (["a", "b", "c", "d"], False)
