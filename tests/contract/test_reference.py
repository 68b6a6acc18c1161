"""The pages that come from code are current."""

from pathlib import Path

import pytest

from app.local import reference

FOLDER = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_a_generated_page_is_what_the_code_says(name: str) -> None:
    page = reference.GENERATED + reference.PAGES[name]()
    assert (FOLDER / name).read_text(encoding="utf-8") == page, "run `make docs`"
