"""The client library over the real application: what the server writes is what it reads."""

from typing import Any

import pytest
from citegrid import Credentials, StillRunning, as_json, errors

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.integration.client.conftest import EMAIL, PASSWORD, QUESTION, Asking


def test_a_completed_search_is_read_whole_with_its_snapshot_and_its_events(
    ask: Asking, settings: Settings, owls: None
) -> None:
    id = ask(lambda c: c.searches.create(QUESTION)).id
    builders.work(settings, id)
    answered = ask(lambda c: c.searches.get(id))
    assert answered.result is not None
    assert as_json(answered) == ask.recorder.answers[-1]
    snapshot = ask(lambda c: c.searches.snapshot(id, 1))
    assert as_json(snapshot) == ask.recorder.answers[-1]
    events = ask(lambda c: c.searches.events(id))
    assert [event.search for event in events] == [answered]


def test_a_search_that_nobody_works_on_is_still_running_until_it_is_cancelled(
    ask: Asking,
) -> None:
    id = ask(lambda c: c.searches.create(QUESTION)).id
    with pytest.raises(StillRunning, match=id):
        ask(lambda c: c.searches.wait(id, timeout=0.2))
    assert ask(lambda c: c.searches.cancel(id)).status == "cancelled"
    assert as_json(ask(lambda c: c.searches.wait(id))) == ask.recorder.answers[-1]


def test_searches_are_listed_and_walked(ask: Asking) -> None:
    made = [ask(lambda c: c.searches.create(QUESTION)).id for _ in range(3)]
    page = ask(lambda c: c.searches.list(limit=2))
    assert [search.id for search in page] == made[:0:-1]
    rest = ask(lambda c: c.searches.list(limit=2, cursor=page.next_cursor))
    assert ([search.id for search in rest], rest.next_cursor) == (made[:1], None)
    assert [search.id for search in ask(lambda c: c.searches.iterate())] == made[::-1]


def test_a_refusal_names_the_request_and_the_field(ask: Asking) -> None:
    with pytest.raises(errors.BadRequest, match="validation_failed") as raised:
        ask(lambda c: c.searches.create("Why?", max_sources=50))
    told = ask.recorder.answers[-1]["error"]
    assert raised.value.request_id == told["request_id"]
    assert [detail.field for detail in raised.value.details] == ["/max_sources"]


def _signed_in(ask: Asking) -> dict[str, Any]:
    ask(lambda c: c.accounts.create(EMAIL, PASSWORD))
    tokens = ask(lambda c: c.tokens.create(EMAIL, PASSWORD))
    return {"access_token": tokens.access_token, "refresh_token": tokens.refresh_token}


def test_an_account_signs_up_signs_in_reads_itself_and_signs_out(ask: Asking) -> None:
    session = _signed_in(ask)
    own = ask(lambda c: c.accounts.get(), **session)
    assert own.account.email == EMAIL
    assert as_json(own) == ask.recorder.answers[-1]
    ask(lambda c: c.sign_out(), **session)
    with pytest.raises(errors.AuthRevokedToken):
        ask(lambda c: c.accounts.get(), **session)


def test_an_api_key_lives_its_life(ask: Asking) -> None:
    session = _signed_in(ask)
    made = ask(lambda c: c.api_keys.create("ci", ["search"]), **session)
    assert as_json(made) == ask.recorder.answers[-1]
    key = ask(lambda c: c.api_keys.update(made.api_key.id, name="nightly"), **session)
    assert key.name == "nightly"
    rolled = ask(lambda c: c.api_keys.roll(key.id, 0), **session)
    ask(lambda c: c.api_keys.delete(rolled.api_key.id), **session)
    listed = ask(lambda c: c.api_keys.iterate(), **session)
    assert [(each.id, each.revoked_at is None, each.replaced_by) for each in listed] == [
        (rolled.api_key.id, False, None),
        (key.id, True, rolled.api_key.id),
    ]


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
