"""Scripts of others: the files that were reviewed, or none."""

from pathlib import Path

import pytest

from app.local.doctor import doctor
from app.web.frame import vendor


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor, "script", lambda name: vendor.read(vendor.FILES[name], tmp_path))


def test_a_script_that_is_not_the_reviewed_one_is_not_read(tmp_path: Path) -> None:
    file = vendor.FILES["htmx.js"]
    path = tmp_path / file.path
    path.parent.mkdir(parents=True)
    path.write_text("alert(1)")
    assert vendor.read(file, tmp_path) is None


@pytest.mark.usefixtures("nothing_installed")
def test_pages_do_without_scripts_that_are_not_installed() -> None:
    assert vendor.addresses() == []


@pytest.mark.usefixtures("nothing_installed")
def test_the_doctor_says_how_to_get_them() -> None:
    finding = doctor.examine_scripts()
    assert finding.verdict == "warn"
    assert finding.hint == "make assets"
