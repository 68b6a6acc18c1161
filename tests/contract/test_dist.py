"""The wheels that `make dist` builds: nothing is missing in them, and they run by themselves."""

import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.installed import ROOT, programs

BUILT_FROM = ("app", "workers", "client", "examples", "requirements")
FILES = ("LICENSE", "Makefile", "README.md", "pyproject.toml", "setup.cfg")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "tests", "*.pyc")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Built from a copy of the sources, so that nothing of another build gets into them."""
    tree = tmp_path_factory.mktemp("tree")
    for name in BUILT_FROM:
        shutil.copytree(ROOT / name, tree / name, ignore=LEFT_OUT)
    for name in FILES:
        shutil.copy(ROOT / name, tree)
    # The environment of this test builds; it is not made anew for older marks.
    command = ["make", "dist", f"BIN={Path(sys.executable).parent}", f"VENV={tree / 'none'}"]
    ready = tree / "none" / ".ready"
    ready.parent.mkdir()
    ready.touch()
    subprocess.run(command, cwd=tree, check=True, timeout=600)
    return sorted((tree / "build" / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The programs of an environment that holds the wheels, and sees what the lock names in that
    of `make install`."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    libraries = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    venv.create(folder, with_pip=False)
    (folder / libraries / "locked.pth").write_text(f"{programs().parent / libraries}\n")
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-qq", "--no-deps"]
    subprocess.run([*pip, *wheels], check=True, timeout=600)
    yield folder / "bin"
    shutil.rmtree(folder)


def test_both_are_built_for_any_machine(wheels: list[Path]) -> None:
    names = [wheel.name for wheel in wheels]
    assert names == ["citegrid-0.1.0-py3-none-any.whl", "citegrid_server-0.1.0-py3-none-any.whl"]


@pytest.mark.parametrize(("wheel", "folders"), [(0, ["client/citegrid"]), (1, ["app", "workers"])])
def test_every_file_of_the_packages_is_in_the_wheel(
    wheels: list[Path], wheel: int, folders: list[str]
) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    wanted = {name.removeprefix("client/") for name in tracked}
    assert wanted - set(ZipFile(wheels[wheel]).namelist()) == set()


@pytest.mark.parametrize(("wheel", "packages"), [(0, {"citegrid"}), (1, {"app", "workers"})])
def test_nothing_but_the_packages_is_in_the_wheel(
    wheels: list[Path], wheel: int, packages: set[str]
) -> None:
    folders = {name.partition("/")[0] for name in ZipFile(wheels[wheel]).namelist()}
    assert {name for name in folders if not name.endswith(".dist-info")} == packages


@pytest.mark.parametrize("wheel", [0, 1])
def test_the_licence_is_named_and_included(wheels: list[Path], wheel: int) -> None:
    with ZipFile(wheels[wheel]) as archive:
        (licence,) = [x for x in archive.namelist() if x.endswith("/licenses/LICENSE")]
        (facts,) = [x for x in archive.namelist() if x.endswith(".dist-info/METADATA")]
        assert "License-Expression: Apache-2.0" in archive.read(facts).decode()
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("program", ["citegrid", "citegrid-server"])
def test_the_programs_run_in_an_environment_of_their_own(installed: Path, program: str) -> None:
    done = subprocess.run(
        [installed / program, "--help"],
        cwd=installed,
        env={"PATH": "/usr/bin:/bin", "HOME": str(installed)},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert done.stdout.startswith(f"Usage: {program} ")


def test_the_parts_of_the_server_load(installed: Path) -> None:
    subprocess.run(
        [installed / "python", "-c", PARTS, installed.parent],
        cwd=installed,
        env={"PATH": "/usr/bin:/bin", "HOME": str(installed)},
        check=True,
        timeout=600,
    )


PARTS = """
import sys, app.wsgi, citegrid, workers.queue.celery
for module in (app.wsgi, citegrid, workers):
    assert module.__file__.startswith(sys.argv[1]), module
"""
