"""A Prometheus with the rules of deploy/ and no delays, and what it says."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from tests import servers
from tests.deploy.conftest import DEPLOY
from tests.deploy.installation import ask
from tests.deploy.programs import validator
from tests.ports import free_port


@dataclass(frozen=True, slots=True)
class Prometheus:
    """It listens on `port`."""

    port: int

    def alerts(self) -> list[dict[str, str]]:
        """The labels of each that fires."""
        alerts = self._data("alerts").get("alerts", [])
        return [alert["labels"] for alert in alerts if alert["state"] == "firing"]

    def firing(self) -> set[str]:
        return {labels["alertname"] for labels in self.alerts()}

    def targets(self) -> list[dict[str, str]]:
        """The labels of each that answers."""
        targets = self._data("targets").get("activeTargets", [])
        return [target["labels"] for target in targets if target["health"] == "up"]

    def value(self, metric: str) -> float:
        """The sum of its samples of now; 0 when there are none."""
        found = self._data(f"query?query={quote(f'sum({metric})')}").get("result", [])
        return sum(float(sample["value"][1]) for sample in found)

    def await_alert(self, name: str, **labels: str) -> None:
        wanted = {"alertname": name, **labels}.items()
        servers.until(lambda: any(wanted <= alert.items() for alert in self.alerts()))

    def await_end(self, name: str) -> None:
        servers.until(lambda: name not in self.firing())

    def _data(self, path: str) -> Any:
        status, told = ask(self.port, "GET", f"/api/v1/{path}")
        return told["data"] if status == 200 else {}


@contextmanager
def prometheus(
    folder: Path, jobs: Sequence[dict[str, Any]], scrape_seconds: int
) -> Iterator[Prometheus]:
    """It scrapes these jobs, and waits for an answer as long as between two scrapes."""
    program = validator("prometheus", "prometheus")
    given = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    seconds = f"{scrape_seconds}s"
    given["global"] = {
        "scrape_interval": seconds,
        "scrape_timeout": seconds,
        "evaluation_interval": "1s",
    }
    given["scrape_configs"] = list(jobs)
    (folder / "prometheus.yml").write_text(json.dumps(given))
    for name in given["rule_files"]:
        rules = yaml.safe_load((DEPLOY / "prometheus" / name).read_text())
        for group in rules["groups"]:
            for rule in group["rules"]:
                rule["for"] = "0s"
        (folder / name).write_text(json.dumps(rules))
    port = free_port()
    command = [
        program,
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield Prometheus(port)
        finally:
            process.terminate()
            process.wait()
