"""Profiles, avatars and offers through the client."""

import base64
from typing import Any

import pytest
from citegrid import as_json, avatar_data_url, errors

from tests.integration.client.conftest import EMAIL, PASSWORD, Asking

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg=="
)


@pytest.fixture
def session(ask: Asking) -> dict[str, Any]:
    ask(lambda c: c.accounts.create(EMAIL, PASSWORD))
    tokens = ask(lambda c: c.tokens.create(EMAIL, PASSWORD))
    return {"access_token": tokens.access_token}


@pytest.fixture
def published(ask: Asking, session: dict[str, Any]) -> None:
    ask(lambda c: c.provider_profile.save("Ada", "ada", "GPUs", None, True), **session)


def test_before_a_profile_is_saved_there_is_none_nor_an_avatar_nor_an_offer(
    ask: Asking, session: dict[str, Any]
) -> None:
    assert ask(lambda c: c.provider_profile.get(), **session) is None
    with pytest.raises(errors.ProfileRequired):
        ask(lambda c: c.provider_profile.save_avatar(avatar_data_url(PIXEL)), **session)
    assert ask(lambda c: c.own_offers.iterate(), **session) == []
    assert ask(lambda c: c.offers.list("m/1"), api_key=None).items == ()


def test_a_published_profile_is_read_as_it_was_saved_by_its_owner_and_by_anybody(
    ask: Asking, session: dict[str, Any], published: None
) -> None:
    profile = ask(lambda c: c.provider_profile.get(), **session)
    assert {"profile": as_json(profile)} == ask.recorder.answers[-1]
    found = ask(lambda c: c.providers.get("ada"), api_key=None)
    assert as_json(found) == ask.recorder.answers[-1]


def test_an_avatar_is_saved_shown_and_removed(
    ask: Asking, session: dict[str, Any], published: None
) -> None:
    ask(lambda c: c.provider_profile.save_avatar(avatar_data_url(PIXEL)), **session)
    assert ask(lambda c: c.provider_profile.avatar(), **session).media_type == "image/png"
    assert ask(lambda c: c.providers.avatar("ada"), api_key=None).content
    ask(lambda c: c.provider_profile.save_avatar(None), **session)
    with pytest.raises(errors.NotFound, match="avatar_not_found"):
        ask(lambda c: c.provider_profile.avatar(), **session)
