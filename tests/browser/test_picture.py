"""The picture of the answer page that the README shows; `make picture` keeps it."""

import io
from pathlib import Path
from typing import Any, Final

import pytest
from PIL import Image

from app.core.config.settings import environment
from tests.browser.site import Site

MOST_BYTES: Final = 150_000
COLOURS: Final = 96
# What differs from run to run says nothing, and would make every run another picture.
STEADY: Final = """
    for (const time of document.querySelectorAll('main time')) time.textContent = '2 d ago';
    for (const code of document.querySelectorAll('.status .id code'))
      code.textContent = 'srch_agraic4onnyyzjfxvd4pyipjnm';
    for (const span of document.querySelectorAll('.status > span'))
      if (/^[0-9.]+ s$/.test(span.textContent)) span.textContent = '0.37 s';
    document.querySelector('footer').remove();
"""


@pytest.fixture(scope="module")
def picture(site: Site, _visits: Any) -> bytes:
    site.seed("searches")
    page = _visits(f"/searches/{site.ids['table']}?cite=1")
    page.frame_locator("iframe.stored").locator("#hit").wait_for()
    page.evaluate(STEADY)
    taken = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    _visits.close_pages()
    kept = io.BytesIO()
    taken.quantize(COLOURS, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
    return kept.getvalue()


def test_the_picture_is_small_enough_to_be_kept(picture: bytes) -> None:
    assert len(picture) < MOST_BYTES


def test_the_picture_is_kept_where_it_is_wanted(picture: bytes, tmp_path: Path) -> None:
    folder = Path(environment().get("PICTURES") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answer.png").write_bytes(picture)
    with Image.open(folder / "answer.png") as read:
        assert read.width == 1280
