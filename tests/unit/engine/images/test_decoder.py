"""The child in which pictures are decoded: what becomes of it, and what its end says."""

import base64
from collections.abc import Iterator

import pytest

from app.engine.images import avatar, pixels
from app.engine.images.avatar import Avatar, Decoder, NoDecoder
from app.engine.images.refusal import ImageRefused
from app.engine.sandbox import unconfined
from app.engine.sandbox.answers import Malformed

PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQAB"
    "DQottAAAAABJRU5ErkJggg=="
)
DATA = avatar.content(PIXEL).data


def test_a_picture_is_decoded_and_its_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    pids: list[int | None] = []
    close = Decoder.close

    def note(self: Decoder) -> None:
        pids.append(self.pid)
        close(self)
        pids.append(self.pid)

    monkeypatch.setattr(Decoder, "close", note)
    assert isinstance(avatar.read(PIXEL), Avatar)
    assert pids[0] is not None
    assert pids[1] is None


def test_one_child_decodes_one_picture_after_another() -> None:
    decoder = Decoder()
    try:
        first = decoder.public_copy(DATA, "image/png")
        assert decoder.public_copy(DATA, "image/png") == first
    finally:
        decoder.close()


class Absent(Decoder):
    program = "tests.unit.engine.images.no_such_program"


def test_without_a_process_nothing_is_said_of_the_picture() -> None:
    with pytest.raises(NoDecoder):
        Absent().public_copy(DATA, "image/png")


class Unfiltered(Decoder):
    program = "tests.unit.engine.sandbox.child_without_filter"


def test_a_process_without_a_wall_gets_no_picture_where_confinement_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unconfined.ConfinementPolicy, "required", True)
    with pytest.raises(NoDecoder):
        Unfiltered().public_copy(DATA, "image/png")


def test_too_many_pictures_at_once_wait_and_then_are_sent_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(avatar, "_TURN_SECONDS", 0.01)
    with avatar._turns, avatar._turns, pytest.raises(NoDecoder):
        avatar.read(PIXEL)


class Hostile(Decoder):
    program = "tests.unit.engine.images.hostile_child"


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Decoder]:
    """A decoder with the holes that a picture would use."""
    monkeypatch.setattr(avatar, "_CPU_SECONDS", 0.2)
    decoder = Hostile()
    yield decoder
    decoder.close()


@pytest.mark.parametrize(
    ("picture", "reason"),
    [(b"crash", "invalid_image"), (b"spin", "too_costly"), (b"lie", "invalid_image")],
)
def test_a_picture_that_attacks_its_process_is_refused(
    hostile: Decoder, picture: bytes, reason: str
) -> None:
    with pytest.raises(ImageRefused) as refused:
        hostile.public_copy(picture, "image/png")
    assert refused.value.reason == reason


WEBP = pixels.public_copy(DATA, "image/png")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        {"avatar": {"public": None}},
        {"avatar": {"public": "?"}},
        {"avatar": {"refused": "unheard of"}},
        {"avatar": {"public": base64.b64encode(DATA).decode()}},
        {"avatar": {"public": base64.b64encode(WEBP + b"more").decode()}},
        {"avatar": {"public": "A" * (4 << 20)}},
    ],
    ids=["nothing", "empty", "null", "no base64", "no reason", "PNG", "trailing", "too long"],
)
def test_an_answer_that_is_no_picture_is_not_believed(answer: object) -> None:
    with pytest.raises(Malformed):
        avatar.checked(answer)
