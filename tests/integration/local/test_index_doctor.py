"""What `doctor` says of the index at INDEX_URL."""

import re
from dataclasses import replace

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.passages import changes
from app.local.doctor import index
from tests.opensearch import StandIn
from tests.remote_index import ALIAS, add, run, served


def examined(settings: Settings) -> list[str]:
    return [f"{x.verdict} {x.what}" for x in index.examine(settings)]


def test_a_server_without_such_an_index_has_nothing_to_say(settings: Settings) -> None:
    assert examined(settings) == []


def test_an_index_that_keeps_up_and_holds_the_same_is_well_while_it_is_used(
    built: Settings,
) -> None:
    assert examined(built) == [
        "ok OpenSearch 2.19.1 is available",
        "ok The index at INDEX_URL is 0 passages and 0 s behind",
        "ok The index at INDEX_URL matches Postgres",
    ]
    [found] = index.examine(replace(built, index_url=""))  # changes are kept in vain
    assert found.verdict == "warn"
    assert "index detach" in found.hint


def test_an_index_that_was_never_built_is_to_be_built(following: Settings) -> None:
    _, found = index.examine(following)
    assert found.verdict == "warn"
    assert "index rebuild --remote" in found.hint


def test_an_index_that_holds_something_else_is_to_be_rebuilt(
    built: Settings, server: StandIn
) -> None:
    documents = served(server).documents
    right = dict(documents)
    id, found = next(iter(right.items()))
    for wrong in (
        {key: each for key, each in right.items() if key != id},
        {**right, "999": {**found, "id": 999}},
        {**right, id: {**found, "digest": 7}},
    ):
        documents.clear()
        documents.update(wrong)
        assert examined(built)[-1].startswith("fail The index at INDEX_URL differs")


def test_what_was_not_sent_yet_is_no_difference_and_told_once_it_is_late(built: Settings) -> None:
    add("rye")
    assert [re.sub(r"\d+ s", "SECONDS s", told) for told in examined(built)[1:]] == [
        "ok The index at INDEX_URL is 1 passage and SECONDS s behind",
        "ok The index at INDEX_URL matches Postgres",
    ]
    with db.transaction() as tx:
        tx.execute("update passage_changes set written_at = now() - interval '1 hour'")
    late = "warn The index at INDEX_URL is 1 passage and 3[67][0-9]{2} s behind"
    assert re.fullmatch(late, examined(built)[1])
    run(built, changes.SEND)
    assert examined(built)[-1] == "ok The index at INDEX_URL matches Postgres"


def test_an_alias_that_means_another_index_is_told(built: Settings, server: StandIn) -> None:
    del server.aliases[ALIAS]
    assert examined(built)[-1].startswith("fail The alias at INDEX_URL does not point to")


def test_an_index_of_another_analysis_is_to_be_rebuilt(built: Settings) -> None:
    with db.transaction() as tx:
        tx.execute("update remote_indexes set analysis = 0")
    assert examined(built)[-1].startswith("warn The index at INDEX_URL was built by a version")


def test_a_server_that_refuses_is_told_with_what_to_do(built: Settings, server: StandIn) -> None:
    for status, hint in ((401, "INDEX_USERNAME"), (503, "its log")):
        server.failures[""] = [status]
        [found] = index.examine(built)
        assert found.verdict == "fail"
        assert hint in found.hint


def test_a_password_sent_in_the_clear_is_told(following: Settings) -> None:
    url = "http://search.example.org:9200"
    first = next(index.examine(replace(following, index_url=url, index_username="a")))
    assert "without encryption" in first.what
