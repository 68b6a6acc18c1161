"""Which Redis a local run starts, shown with programs that only state a version."""

from pathlib import Path

import pytest

from app.local.embedded import redis_program
from app.local.embedded.children import ServerFailed
from app.local.embedded.system_user import SystemUser

NOBODY = SystemUser(uid=65534, gid=65534)


def install(folder: Path, name: str, says: str) -> Path:
    """A program on a PATH of its own."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of the PATH."""
    folder = tmp_path / "path"
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_program, "_WHEEL", "no_such_wheel")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("redis-server", "Redis server v=6.2.0 sha=00000000:0 malloc=jemalloc-5.1.0 bits=64"),
        ("redis-server", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64"),
        ("valkey-server", "Valkey server v=8.1.1 sha=00000000:0 malloc=libc bits=64"),
    ],
)
def test_a_new_enough_program_on_the_path_comes_first(path: Path, name: str, says: str) -> None:
    first = install(path, name, says)
    assert redis_program.program(None) == first


def test_a_program_that_is_too_old_is_passed_over_for_the_next(path: Path) -> None:
    install(path, "redis-server", "Redis server v=5.0.14 sha=00000000:0")
    valkey = install(path, "valkey-server", "Valkey server v=8.0.0 sha=00000000:0")
    assert redis_program.program(None) == valkey


@pytest.mark.parametrize("says", ["Redis server v=6.0.16 sha=00000000:0", "hello", ""])
def test_without_one_on_the_path_the_packaged_one_is_taken(path: Path, says: str) -> None:
    install(path, "redis-server", says)
    packaged = redis_program.program(None)
    assert packaged.name == "valkey-server"
    assert redis_program.version_of(packaged) >= (9, 1)


def test_a_link_is_started_by_its_own_name(path: Path) -> None:
    several = install(path, "several", "")
    several.write_text("#!/bin/sh\ncase $0 in */redis-server) echo 'v=7.0.15';; esac\n")
    (path / "redis-server").symlink_to(several)
    assert redis_program.program(None) == path / "redis-server"


@pytest.mark.usefixtures("no_wheel")
def test_a_program_that_the_account_cannot_reach_is_passed_over(path: Path) -> None:
    install(path, "redis-server", "Redis server v=7.0.15 sha=00000000:0")
    path.chmod(0o700)
    with pytest.raises(ServerFailed):
        redis_program.program(NOBODY)


@pytest.mark.parametrize(
    ("tool", "command"),
    [("apt-get", "apt-get install redis-server"), ("brew", "brew install valkey")],
)
@pytest.mark.usefixtures("no_wheel")
def test_without_any_the_error_names_the_command_of_this_system(
    path: Path, tool: str, command: str
) -> None:
    install(path, tool, "")
    with pytest.raises(ServerFailed, match=rf"install one \({command}\), or set REDIS_URL"):
        redis_program.program(None)


@pytest.mark.usefixtures("no_wheel")
def test_the_error_says_what_was_too_old(path: Path) -> None:
    old = install(path, "redis-server", "Redis server v=5.0.14 sha=00000000:0")
    with pytest.raises(ServerFailed, match=f"{old} is of version 5.0"):
        redis_program.program(None)
