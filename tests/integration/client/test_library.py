"""The client library over the real application: what the server writes is what it reads."""

from typing import Any

import pytest
from citegrid import Credentials, Search, as_json, errors

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.integration.client.conftest import EMAIL, PASSWORD, QUESTION, Asking


@pytest.fixture
def answered(ask: Asking, settings: Settings, owls: None) -> Search:
    id = ask(lambda c: c.searches.create(QUESTION)).id
    builders.work(settings, id)
    search: Search = ask(lambda c: c.searches.get(id))
    return search


def test_a_completed_search_is_read_whole(ask: Asking, answered: Search) -> None:
    assert answered.result is not None
    assert as_json(answered) == ask.recorder.answers[-1]


def test_a_quote_is_a_slice_of_the_snapshot(ask: Asking, answered: Search) -> None:
    assert answered.result is not None
    (citation, *_) = answered.result.citations
    snapshot = ask(lambda c: c.searches.snapshot(answered.id, citation.source))
    assert snapshot.text[citation.start : citation.end] == citation.quote


def test_a_snapshot_is_read_whole(ask: Asking, answered: Search) -> None:
    snapshot = ask(lambda c: c.searches.snapshot(answered.id, 1))
    assert as_json(snapshot) == ask.recorder.answers[-1]


def test_a_finished_search_is_not_waited_for(ask: Asking, answered: Search) -> None:
    assert ask(lambda c: c.searches.wait(answered.id)) == answered


def test_events_end_with_the_search(ask: Asking, answered: Search) -> None:
    events = ask(lambda c: c.searches.events(answered.id))
    assert [event.search for event in events] == [answered]


def _signed_in(ask: Asking) -> dict[str, Any]:
    ask(lambda c: c.accounts.create(EMAIL, PASSWORD))
    tokens = ask(lambda c: c.tokens.create(EMAIL, PASSWORD))
    return {"access_token": tokens.access_token, "refresh_token": tokens.refresh_token}


EXPIRE = "update tokens set expires_at = now() where kind = 'access'"


@pytest.fixture
def expired(ask: Asking) -> dict[str, Any]:
    """A session whose access token has just expired."""
    session = _signed_in(ask)
    with db.transaction() as tx:
        tx.execute(EXPIRE)
    return session


def test_two_who_share_a_session_and_its_salt_may_both_refresh_it(
    ask: Asking, expired: dict[str, Any]
) -> None:
    both = [Credentials(None, *expired.values(), salt="shared") for _ in range(2)]
    for credentials in both:
        ask(lambda c: c.accounts.get(), credentials=credentials)
    assert both[0].access_token == both[1].access_token
    assert ask(lambda c: c.accounts.get(), credentials=both[0]).account.email == EMAIL


def test_a_thief_without_the_salt_ends_the_session(ask: Asking, expired: dict[str, Any]) -> None:
    owner, thief = (Credentials(None, *expired.values()) for _ in range(2))
    ask(lambda c: c.accounts.get(), credentials=owner)
    for credentials in (thief, owner):
        with pytest.raises(errors.AuthRevokedToken):
            ask(lambda c: c.accounts.get(), credentials=credentials)
