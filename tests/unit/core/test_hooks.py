"""A hook calls who is connected, and says so when nobody is."""

import pytest

from app.core.hooks import Hook, NotConnected


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """No hook of these tests is missed at the start of what other tests start."""
    monkeypatch.setattr(Hook, "declared", [])


def test_a_hook_has_its_parts_in_order() -> None:
    hook = Hook[str]("nodes.CHANGED")
    hook.connect("first", "second")
    assert list(hook) == ["first", "second"]


def test_connecting_again_takes_the_place_of_what_was_connected() -> None:
    hook = Hook[str]("nodes.CHANGED")
    hook.connect("first")
    hook.connect("second")
    assert hook.only == "second"


def test_one_that_nobody_is_connected_to_cannot_be_used() -> None:
    with pytest.raises(NotConnected, match=r"nodes\.CHANGED"):
        list(Hook[str]("nodes.CHANGED"))


def test_two_that_would_contradict_each_other_are_refused() -> None:
    hook = Hook[str]("nodes.JUDGED")
    hook.connect("first", "second")
    with pytest.raises(ValueError, match="too many"):
        _ = hook.only


def test_all_that_is_missing_is_named_at_once() -> None:
    Hook[str]("nodes.JUDGED").connect("part")
    Hook[str]("nodes.CHANGED")
    Hook[str]("chats.SETTLED")
    with pytest.raises(NotConnected, match=r"nodes\.CHANGED, chats\.SETTLED"):
        Hook.require()
