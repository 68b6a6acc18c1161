"""The SQL that a release sends: the constants of its modules.

`python -m tests.statements` prints those of the release that lies first in Python's path, as JSON.
"""

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

PACKAGES = ("app.core", "app.domains", "app.web", "workers")
STATEMENT = re.compile(r"\s*(?:--.*\n\s*)*(?:select|insert|update|delete|with)\s", re.I)
PARAMETER = re.compile(r"%\(\w+\)[sbt]|%[sbt]")


def statements() -> dict[str, str]:
    """By the names of the constants."""
    return {
        f"{module}.{name}": text
        for package in PACKAGES
        for module in _modules(package, *import_module(package).__path__)
        for name, text in vars(import_module(module)).items()
        if isinstance(text, str) and name.isupper() and STATEMENT.match(text)
    }


def _modules(package: str, folder: str) -> Iterator[str]:
    """Without `workers.main`, which is a process."""
    for module in walk_packages([folder], f"{package}."):
        if not module.name.endswith(".main"):
            yield module.name


def with_nulls(statement: str) -> str:
    """The statement with a null for each parameter, as Postgres can look at it by itself."""
    return PARAMETER.sub("null", statement).replace("%%", "%")


if __name__ == "__main__":
    json.dump(statements(), sys.stdout)
