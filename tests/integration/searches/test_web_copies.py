"""Copies of pages that searches read: when they serve, are confirmed, replaced and forgotten."""

from app.core import db
from app.domains.library.pages import service as pages
from app.domains.library.passages import store
from tests.integration.searches.asking import OWLS, TRAINS, Asking, outcomes, sources, warned
from tests.internet import Internet


def test_a_page_read_a_moment_ago_is_not_asked_for_again(
    asking: Asking, internet: Internet
) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    assert asking.ask()["result"]["answered"] is True
    assert internet.requests["/owls"] == 1


def expired(asking: Asking) -> None:
    """Let the copies be old enough to be checked."""
    with db.transaction() as tx:
        tx.execute("update web_pages set checked_at = now() - interval '2 hours'")


def test_an_old_copy_is_confirmed_by_its_site(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    expired(asking)
    search = asking.ask()
    assert search["result"]["answered"] is True
    assert outcomes(search) == {"read": 1}
    assert internet.conditional["/owls"] == 1


def test_a_changed_page_is_read_anew(asking: Asking, internet: Internet) -> None:
    url = internet.page("/owls", OWLS)
    internet.searxng(url)
    asking.ask()
    expired(asking)
    internet.page("/owls", OWLS.replace("four to seven", "three to nine"))
    assert "three to nine" in asking.ask()["result"]["answer"]


def test_a_copy_stands_in_while_its_site_is_down(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    expired(asking)
    internet.pages["/owls"] = (503, {}, b"")
    search = asking.ask()
    assert search["result"]["answered"] is True
    assert outcomes(search) == {"stale": 1}
    assert warned(search) == ["engine_empty", "pages_stale"]


def test_a_page_its_site_has_withdrawn_is_no_source(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    expired(asking)
    del internet.pages["/owls"]
    search = asking.ask()
    assert sources(search) == []
    assert outcomes(search) == {"http_404": 1}


def test_copies_of_one_text_are_one_source(asking: Asking, internet: Internet) -> None:
    long = OWLS + "".join(f"\n\nRemark {i}: the owl of barn {i} was seen." for i in range(60))
    first = internet.page("/first", long)
    second = internet.page("/second", long.replace("barn 31 was", "barn 31 has been"))
    internet.searxng(first, second)
    search = asking.ask()
    assert sources(search) == [first]
    assert outcomes(search) == {"read": 1, "duplicate": 1}


def test_a_copy_nobody_confirmed_for_long_is_forgotten_with_its_snapshot(
    asking: Asking, internet: Internet
) -> None:
    internet.searxng(internet.page("/owls", OWLS), internet.page("/trains", TRAINS))
    search = asking.ask()
    assert len(sources(search)) == 1
    with db.transaction() as tx:
        store.forget_released_snapshots(tx, after_seconds=-1)  # finds that both are held
    with db.transaction() as tx:
        tx.execute("update web_pages set checked_at = now() - interval '8 days'")
        pages.expire(tx)
    with db.transaction() as tx:
        store.forget_released_snapshots(tx, after_seconds=0)
        left = [url for (url,) in tx.execute("select url from snapshots").fetchall()]
    assert left == [internet.url + "/owls"]
    assert asking.snapshot(search["id"], 1)["url"] == internet.url + "/owls"


def test_a_snapshot_is_kept_while_a_copy_holds_it(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/trains", TRAINS))
    assert sources(asking.ask()) == []
    with db.transaction() as tx:
        store.forget_released_snapshots(tx, after_seconds=0)
    internet.searxng(internet.url + "/trains")
    found = asking.ask("When does the first ferry leave the coast?")
    assert found["result"]["answered"] is True
    assert internet.requests["/trains"] == 1
