"""Alert rules and scraping, by Prometheus' own program."""

import pytest

from tests.deploy.conftest import DEPLOY
from tests.deploy.programs import succeed, validator

FOLDER = DEPLOY / "prometheus"

pytestmark = pytest.mark.deploy


def test_alerts_fire_when_they_are_due_and_not_otherwise() -> None:
    promtool = validator("promtool", "prometheus")
    succeed(promtool, "check", "rules", FOLDER / "rules.yml", FOLDER / "machines.yml")
    succeed(promtool, "test", "rules", "rules_test.yml", cwd=FOLDER)


def test_prometheus_takes_its_configuration() -> None:
    promtool = validator("promtool", "prometheus")
    succeed(promtool, "check", "config", "--syntax-only", FOLDER / "prometheus.yml")
