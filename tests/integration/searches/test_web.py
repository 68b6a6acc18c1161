"""Searches that ask engines: a worker against SearXNG and Brave on loopback."""

from typing import Any

import pytest
import redis

from app.core import db
from tests import builders
from tests.integration.searches.asking import (
    OWLS,
    TRAINS,
    Asking,
    engines,
    outcomes,
    sources,
    warned,
)
from tests.internet import Internet


def test_an_answer_quotes_a_page_of_the_web_as_it_was_read(
    asking: Asking, internet: Internet
) -> None:
    url = internet.page("/owls", OWLS)
    internet.searxng(url)
    search = asking.ask()
    assert search["result"]["answered"] is True
    assert "four to seven eggs" in search["result"]["answer"]
    assert sources(search) == [url]
    citation = search["result"]["citations"][0]
    text = asking.snapshot(search["id"], citation["source"])["text"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]


def test_every_engine_says_what_came_of_it(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS), unresponsive_engines=[["google", "CAPTCHA"]])
    search = asking.ask()
    assert engines(search) == {
        "corpora": "empty",
        "searxng": "ok",
        "searxng/google": "blocked",
        "brave": "empty",
    }
    assert warned(search) == ["engine_incomplete", "engine_empty"]


@pytest.mark.parametrize(
    ("status", "outcome"), [(429, "blocked"), (403, "blocked"), (503, "failed")]
)
def test_an_engine_that_refuses_is_seen_and_the_other_answers(
    asking: Asking, internet: Internet, status: int, outcome: str
) -> None:
    internet.refuses("searxng", status)
    internet.brave(internet.page("/owls", OWLS))
    search = asking.ask()
    assert search["result"]["answered"] is True
    assert engines(search)["searxng"] == outcome
    assert warned(search) == [f"engine_{outcome}"]


def test_an_engine_that_hangs_is_slow_and_the_other_answers(
    ada: Asking, internet: Internet
) -> None:
    hasty = ada.through(internet, "searxng", "brave", web_engine_seconds=3.0)
    internet.hangs("searxng")
    internet.brave(internet.page("/owls", OWLS))
    search = hasty.ask()
    assert search["result"]["answered"] is True
    assert engines(search)["searxng"] == "slow"


def test_an_engine_that_asks_to_be_left_alone_is_not_asked_again(
    asking: Asking, internet: Internet
) -> None:
    internet.refuses("searxng", 429, **{"Retry-After": "600"})
    asking.ask()
    assert engines(asking.ask())["searxng"] == "skipped"
    assert len(internet.queries["searxng"]) == 1


def test_without_any_answer_there_is_none(asking: Asking, internet: Internet) -> None:
    internet.refuses("searxng", 503)
    internet.refuses("brave", 503)
    search = asking.ask()
    assert search["result"]["answered"] is False
    assert warned(search) == ["nothing_indexed", "engine_failed", "engine_failed"]


def test_without_engines_nothing_of_the_web_is_said(
    ada: Asking, internet: Internet, owls: None
) -> None:
    search = ada.through(internet).ask()
    assert search["result"]["answered"] is True
    assert engines(search) == {"corpora": "ok"}
    assert "pages" not in search["result"]["stats"]
    assert set(search["result"]["stats"]["seconds"]) == {
        "reading the question",
        "retrieving",
        "answering",
    }


def test_pages_of_the_web_and_of_corpora_are_ranked_together(
    asking: Asking, internet: Internet, owls: None
) -> None:
    web = internet.page("/hatching", "Hatching. The eggs of a barn owl clutch hatch days apart.")
    internet.searxng(web, internet.page("/trains", TRAINS))
    search = asking.ask()
    assert set(sources(search)) == {"https://birds.example.org/owls", web}
    assert engines(search)["corpora"] == "ok"


def test_a_page_that_is_indexed_too_counts_as_it_was_read_last(
    asking: Asking, internet: Internet
) -> None:
    url = internet.page("/owls", OWLS.replace("four to seven", "three to nine"))
    builders.indexed_page(url, "# Barn owls\n\nA clutch of the barn owl holds four to seven eggs.")
    internet.searxng(url)
    search = asking.ask()
    assert "three to nine" in search["result"]["answer"]
    assert sources(search) == [url]


def test_a_search_with_little_time_left_still_ends_with_an_answer(
    ada: Asking, internet: Internet, owls: None
) -> None:
    patient = ada.through(internet, "searxng", web_engine_seconds=60)
    internet.hangs("searxng")
    id = patient.submit()
    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() + interval '4 seconds'")
    builders.work(patient.settings, id)
    search = ada.get(f"/{id}").json
    assert search["result"]["answered"] is True
    assert engines(search) == {"corpora": "ok", "searxng": "slow"}


def test_what_one_account_had_read_is_no_candidate_of_another(
    asking: Asking, internet: Internet, stranger: Asking
) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    internet.searxng()
    other = stranger.through(internet, "searxng", "brave").ask()
    assert sources(other) == []
    assert warned(other)[0] == "nothing_indexed"


def test_a_quick_search_asks_one_engine_for_five_pages(asking: Asking, internet: Internet) -> None:
    urls = [internet.page(f"/{i}", OWLS.replace("480", f"48{i}")) for i in range(8)]
    internet.searxng(*urls)
    internet.brave(*urls)
    search = asking.ask(depth="quick")
    assert "brave" not in engines(search)
    assert sum(outcomes(search).values()) == 5


def test_a_quick_search_asks_the_next_engine_when_the_first_is_left_alone(
    asking: Asking, internet: Internet
) -> None:
    internet.refuses("searxng", 429, **{"Retry-After": "600"})
    internet.brave(internet.page("/owls", OWLS))
    asking.ask()
    assert asking.ask(depth="quick")["result"]["answered"] is True


def test_a_deep_search_asks_the_parts_of_a_question(asking: Asking, internet: Internet) -> None:
    eggs = internet.page("/eggs", OWLS)
    food = internet.page("/food", "Tawny owls. The tawny owl eats voles and earthworms at night.")

    def reply(asked: dict[str, str]) -> Any:
        url = food if asked["q"].startswith("what do") else eggs
        return 200, {}, f'{{"results": [{{"url": "{url}"}}]}}'.encode()

    internet.replies["searxng"] = reply
    search = asking.ask(
        "How many eggs does a barn owl lay and what do tawny owls eat?", depth="deep"
    )
    assert set(sources(search)) == {eggs, food}
    assert {"asking further", "reading further"} <= set(search["result"]["stats"]["seconds"])


def test_searches_work_while_redis_is_away(ada: Asking, internet: Internet) -> None:
    away = ada.through(internet, "searxng", redis_url="redis://127.0.0.1:1/0")
    internet.searxng(internet.page("/owls", OWLS))
    assert away.ask()["result"]["answered"] is True


def test_no_secret_is_logged_or_shown(asking: Asking, internet: Internet, log_lines: Any) -> None:
    internet.refuses("brave", 401)
    search = asking.ask()
    assert "brave-secret" not in str(search) + log_lines.getvalue()
    with redis.Redis.from_url(asking.settings.redis_url) as client:
        assert not any(b"secret" in key for key in client.scan_iter())


def test_a_search_that_names_what_it_is_to_read_asks_no_engine(
    asking: Asking, internet: Internet
) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    search = asking.ask(filter={"and": [{"field": "team", "eq": "birds"}]})
    assert engines(search) == {"corpora": "empty"}
    assert internet.queries == {}
