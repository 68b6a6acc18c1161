"""What a local run keeps in its data folder."""

import stat
from pathlib import Path

import pytest

from app.core.config.settings import BadConfiguration
from app.local.embedded.state import AlreadyRunning, DataFolder, LocalRun, settings

RUN = LocalRun(pid=1, url="http://127.0.0.1:8000", demo_key="cgk_demo", environment={"A": "b"})


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def test_secrets_are_made_once(folder: DataFolder) -> None:
    with folder.hold():
        first = folder.secrets()
    with folder.hold():
        assert folder.secrets() == first


def test_two_folders_have_different_secrets(tmp_path: Path) -> None:
    one, other = DataFolder(tmp_path / "one"), DataFolder(tmp_path / "other")
    with one.hold(), other.hold():
        assert not set(one.secrets().values()) & set(other.secrets().values())


@pytest.mark.parametrize("name", ["secrets.json", "run.json"])
def test_only_the_owner_may_read_what_is_secret(folder: DataFolder, name: str) -> None:
    with folder.hold():
        folder.secrets()
        folder.announce(RUN)
        assert stat.S_IMODE((folder.path / name).stat().st_mode) == 0o600


def test_others_learn_how_to_reach_a_run(folder: DataFolder) -> None:
    with folder.hold():
        folder.announce(RUN)
        assert DataFolder(folder.path).run() == RUN


def test_a_run_that_is_still_starting_is_not_told(folder: DataFolder) -> None:
    with folder.hold():
        assert folder.run() is None


def test_a_folder_that_was_never_used_has_no_run(folder: DataFolder) -> None:
    assert folder.run() is None


def test_what_a_killed_run_left_behind_is_no_run(folder: DataFolder) -> None:
    with folder.hold():
        folder.announce(RUN)
        left = (folder.path / "run.json").read_text()
    (folder.path / "run.json").write_text(left)
    assert folder.run() is None


def test_a_second_run_on_the_same_folder_is_refused_with_the_first(folder: DataFolder) -> None:
    with folder.hold():
        folder.announce(RUN)
        with pytest.raises(AlreadyRunning) as caught, DataFolder(folder.path).hold():
            pytest.fail("held twice")
    assert caught.value.run == RUN


def test_what_a_killed_run_left_behind_is_not_the_one_that_is_starting(folder: DataFolder) -> None:
    with folder.hold():
        folder.announce(RUN)
        left = (folder.path / "run.json").read_text()
    (folder.path / "run.json").write_text(left)
    with folder.hold():
        assert DataFolder(folder.path).run() is None


def test_who_stands_in_another_folder_is_told_where_it_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with pytest.raises(BadConfiguration, match=f"Nothing is running on {tmp_path}.*--data"):
        settings(DataFolder(tmp_path))
