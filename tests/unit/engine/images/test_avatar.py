"""Pictures are judged by their bytes; what is published of them is their pixels alone."""

import base64
import io
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from app.engine.images import avatar, containers, pixels
from app.engine.images.avatar import Avatar, Decoder
from app.engine.images.refusal import SENTENCES, ImageRefused

CASES = Path(__file__).parents[5] / "shared" / "cases" / "avatar.json"
DOCUMENT: dict[str, Any] = json.loads(CASES.read_text()) if CASES.exists() else {"cases": []}
FORMATS = ("PNG", "JPEG", "WEBP")

agreed = pytest.mark.skipif(not DOCUMENT["cases"], reason="the shared avatar cases are not here")


def cases(expected: str) -> list[Any]:
    chosen = [case for case in DOCUMENT["cases"] if case["expect"] == expected]
    return [pytest.param(case, id=case["id"]) for case in chosen]


@pytest.fixture(scope="module")
def child() -> Iterator[Decoder]:
    """One for all cases; `avatar.read` starts one for each picture."""
    decoder = Decoder()
    yield decoder
    decoder.close()


def read(text: object, decoder: Any = pixels) -> Avatar:
    """The avatar, decoded here, or by another who does that."""
    media_type, data = avatar.content(text)
    return Avatar(media_type, data, decoder.public_copy(data, media_type))


@agreed
@pytest.mark.parametrize("case", cases("reject"))
def test_an_agreed_case_is_refused_for_its_reason(child: Decoder, case: dict[str, Any]) -> None:
    assert reason(case["data_url"], child) == case["code"]


@agreed
@pytest.mark.parametrize("case", cases("accept"))
def test_an_agreed_case_is_taken_as_it_is(child: Decoder, case: dict[str, Any]) -> None:
    taken = read(case["data_url"], child)
    assert data_url(taken.data, taken.media_type) == case["data_url"]


@agreed
@pytest.mark.parametrize("case", cases("accept"))
def test_the_public_copy_of_an_agreed_case_holds_nothing_but_pixels(
    child: Decoder, case: dict[str, Any]
) -> None:
    public = read(case["data_url"], child).public
    shown = Image.open(io.BytesIO(public))
    assert shown.format == "WEBP"
    assert max(shown.size) <= pixels.PUBLIC_SIDE
    assert list(shown.size) == case.get("public_size", list(shown.size))
    assert {"exif", "icc_profile", "xmp"}.isdisjoint(shown.info)
    assert not any(text.encode() in public for text in case.get("public_must_not_contain", []))


def reason(text: object, decoder: Any = pixels) -> str | None:
    try:
        read(text, decoder)
    except ImageRefused as refused:
        return refused.reason
    return None


def data_url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def written(image: Image.Image, form: str, **options: Any) -> str:
    file = io.BytesIO()
    image.save(file, form, **options)
    return data_url(file.getvalue(), f"image/{form.lower()}")


def test_every_reason_has_a_sentence() -> None:
    with pytest.raises(KeyError):
        ImageRefused("unheard of")
    assert all(str(ImageRefused(name)) == sentence for name, sentence in SENTENCES.items())


@pytest.mark.parametrize("form", FORMATS)
def test_the_largest_side_is_taken(form: str) -> None:
    assert shown(written(Image.new("RGB", (pixels.MOST_SIDE, 2)), form)).size == (512, 1)


def shown(text: str) -> Image.Image:
    return Image.open(io.BytesIO(read(text).public))


@pytest.mark.parametrize("form", FORMATS)
def test_one_pixel_more_is_refused(form: str) -> None:
    wide = Image.new("RGB", (pixels.MOST_SIDE + 1, 2))
    assert reason(written(wide, form)) == "image_too_many_pixels"


def test_a_picture_is_made_smaller_and_never_larger() -> None:
    assert shown(written(Image.new("RGB", (1024, 512)), "PNG")).size == (512, 256)
    assert shown(written(Image.new("RGB", (3, 5)), "PNG")).size == (3, 5)


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_what_is_transparent_stays_so(form: str) -> None:
    clear = Image.new("RGBA", (8, 8), (200, 10, 10, 0))
    assert shown(written(clear, form)).convert("RGBA").getpixel((4, 4))[3] == 0  # type: ignore[index]


def test_grey_of_sixteen_bits_keeps_its_shades() -> None:
    grey = Image.new("I;16", (8, 8), 0x8000)
    red, _, _ = shown(written(grey, "PNG")).convert("RGB").getpixel((4, 4))  # type: ignore[misc]
    assert 120 <= red <= 136


def test_a_broken_colour_profile_is_ignored() -> None:
    picture = Image.new("RGB", (8, 8), "white")
    assert shown(written(picture, "PNG", icc_profile=b"not a profile")).size == (8, 8)


def test_a_jpeg_of_too_many_scans_is_refused_before_it_is_decoded() -> None:
    content = base64.b64decode(written(Image.new("L", (8, 8)), "JPEG").partition(",")[2])
    at = content.index(b"\xff\xda")
    scan = content[at:-2]
    many = content[:at] + scan * (containers.MOST_SCANS + 1) + b"\xff\xd9"
    with pytest.raises(ImageRefused, match="damaged"):
        containers.walk(many, "image/jpeg")
    containers.walk(content[:at] + scan * containers.MOST_SCANS + b"\xff\xd9", "image/jpeg")


def test_fill_bytes_before_a_marker_are_skipped() -> None:
    content = base64.b64decode(written(Image.new("L", (8, 8)), "JPEG").partition(",")[2])
    assert reason(data_url(content[:-2] + b"\xff\xff\xff\xd9", "image/jpeg")) is None


def test_a_text_chunk_that_unpacks_beyond_measure_is_refused() -> None:
    content = base64.b64decode(written(Image.new("L", (8, 8)), "PNG").partition(",")[2])
    packed = b"zTXtname\0\0" + zlib.compress(bytes(containers.MOST_INFLATED_BYTES + 1))
    chunk = struct.pack(">I", len(packed) - 4) + packed + struct.pack(">I", zlib.crc32(packed))
    assert reason(data_url(content[:33] + chunk + content[33:], "image/png")) == "invalid_image"


GOOD = {
    form: base64.b64decode(
        written(Image.effect_noise((24, 24), 60).convert("RGB"), form).partition(",")[2]
    )
    for form in FORMATS
}


@given(st.sampled_from(FORMATS), st.data())
def test_whatever_happens_to_its_bytes_a_picture_is_taken_or_refused(
    form: str, data: st.DataObject
) -> None:
    content = bytearray(GOOD[form])
    places = st.integers(0, len(content) - 1)
    for place in data.draw(st.lists(places, min_size=1, max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    for changed in (bytes(content), bytes(content[:cut])):
        text = data_url(changed, f"image/{form.lower()}")
        try:
            taken = read(text)
        except ImageRefused:
            continue
        assert isinstance(taken, Avatar)
        assert data_url(taken.data, taken.media_type) == text
