"""Validating and running what is in deploy/; `--short` only validates."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--short", action="store_true", help="only validate")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("short"):
        running = [item for item in items if item.get_closest_marker("runs")]
        config.hook.pytest_deselected(items=running)
        items[:] = [item for item in items if item not in running]
