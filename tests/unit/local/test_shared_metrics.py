"""Where the processes of a local run count: in memory, in a folder that nobody else chose."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.local.embedded import shared_metrics as module
from app.local.embedded.shared_metrics import shared_metrics


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system in memory of our own."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(module, "MEMORY", memory)
    return memory


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    return data


@pytest.mark.skipif(not module.MEMORY.is_dir(), reason="this system has no /dev/shm")
def test_counters_take_no_room_on_the_disk_of_the_data(data: Path) -> None:
    with shared_metrics(data) as folder:
        assert os.stat(folder).st_dev == os.stat(module.MEMORY).st_dev


def test_the_folder_is_its_users_alone(memory: Path, data: Path) -> None:
    with shared_metrics(data) as folder:
        assert folder.parent == memory
        assert folder.stat().st_mode & 0o777 == 0o700


def test_nothing_is_left_when_the_run_ends(memory: Path, data: Path) -> None:
    with shared_metrics(data) as folder:
        (folder / "counter_1.db").touch()
    assert list(memory.iterdir()) == []


def test_what_a_killed_run_left_is_gone(memory: Path, data: Path) -> None:
    with shared_metrics(data) as folder:
        name = folder.name
    (memory / name).mkdir()
    (memory / name / "counter_1.db").touch()
    with shared_metrics(data) as folder:
        assert list(folder.iterdir()) == []


def test_a_name_that_somebody_else_has_taken_is_not_used(memory: Path, data: Path) -> None:
    with shared_metrics(data) as folder:
        name = folder.name
    theirs = memory / "theirs"
    theirs.mkdir()
    (memory / name).symlink_to(theirs)
    with shared_metrics(data) as folder:
        assert folder == data / "metrics"
    assert theirs.is_dir()


def test_two_runs_have_two_folders(memory: Path, tmp_path: Path) -> None:
    with shared_metrics(tmp_path / "one") as one, shared_metrics(tmp_path / "other") as other:
        assert one != other


def test_without_a_file_system_in_memory_it_is_in_the_data(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MEMORY", tmp_path / "nowhere")
    with shared_metrics(data) as folder:
        assert folder == data / "metrics"
