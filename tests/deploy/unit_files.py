"""Units of systemd, as far as their processes are concerned: command, environment, time to stop."""

import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.conftest import DEPLOY, ROOT

BIN = str(Path(sys.executable).parent)
INSTALLED = "/opt/citegrid/.venv/bin"
# What systemd gives to every process of a service.
GIVEN = {"HOME": "/", "LANG": "C.UTF-8", "USER": "citegrid"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A service that is to be started as systemd would."""

    name: str
    command: str
    environment: dict[str, str]
    stop_seconds: float


def unit(name: str, files: Mapping[str, Mapping[str, str]], instance: str = "") -> Unit:
    """`files` are the environment files by their names below /etc/citegrid."""
    text = (DEPLOY / "systemd" / f"citegrid-{name}.service").read_text().replace("%i", instance)
    assert _of(text, "WorkingDirectory") == ["/opt/citegrid"], ROOT
    environment = dict(GIVEN)
    for line in _of(text, "Environment"):
        key, _, value = line.partition("=")
        environment[key] = value.replace(INSTALLED, BIN)
    for line in _of(text, "EnvironmentFile"):
        file = line.removeprefix("-").removeprefix("/etc/citegrid/")
        assert file in files or line.startswith("-"), line
        environment |= files.get(file, {})
    (command,) = _of(text, "ExecStart")
    words = shlex.split(command.replace("%%", "%").replace(INSTALLED, BIN))
    filled = (re.sub(r"\$\{(\w+)\}", lambda m: environment[m[1]], word) for word in words)
    stop = _of(text, "TimeoutStopSec")
    return Unit(
        f"{name}{instance}",
        shlex.join(filled),
        environment,
        float(stop[0].removesuffix("s")) if stop else 30.0,
    )


def _of(text: str, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)
