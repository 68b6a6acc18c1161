"""The pages that come from code are current."""

from pathlib import Path
from runpy import run_path

import pytest

from app.local.commands import reference

FOLDER = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_a_generated_page_is_what_the_code_says(name: str) -> None:
    page = reference.GENERATED + reference.PAGES[name]()
    assert (FOLDER / name).read_text(encoding="utf-8") == page, "run `make docs`"


def test_the_page_of_the_client_is_what_its_code_says() -> None:
    script = FOLDER.parents[1] / "client" / "reference.py"
    page = run_path(str(script))["page"]()
    assert (FOLDER / "client.md").read_text(encoding="utf-8") == page, "run `make docs`"
