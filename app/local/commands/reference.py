"""The reference pages that come from code: errors, configuration, limits, API."""

import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from app import domains
from app.core.config.settings import Settings
from app.core.errors import catalogue
from app.local.commands import limits
from app.web.interface import docs
from app.web.interface.operations import METHODS
from app.wsgi import create_app

GENERATED = "<!-- Written by `make docs` from the code. Change the code, not this page. -->\n\n"


def errors() -> str:
    """Every code that an answer, a failed job or a command of the operator may carry."""
    for module in pkgutil.walk_packages(domains.__path__, f"{domains.__name__}."):
        import_module(module.name)  # each error is known once its module is loaded
    ours = [error for error in catalogue() if error.__module__.startswith("app.")]
    rows = sorted({(e.status, e.code, e.retryable, e.message()) for e in ours})
    return (
        "# Errors\n\n"
        "Every error has one shape, `{error: {code, message, request_id}}`, and for validation "
        "`details: [{field, problem}]`: the first 20, and `details_omitted` says how many more. "
        "The same codes stand in the `error` of a failed job. [Limits](limits.md) says when to "
        "expect 429 and 503.\n\n"
        "| status | code | try again? | meaning |\n|---|---|---|---|\n"
        + "".join(
            f"| {status} | `{code}` | {'yes' if retry else 'no'} | {message} |\n"
            for status, code, retry, message in rows
        )
    )


def configuration() -> str:
    """Every environment variable."""
    return (
        "# Configuration\n\n"
        "The server reads these environment variables once, when a process starts, and names every "
        "problem at once. `citegrid-server up` sets the required ones by itself.\n\n"
        "| variable | default | meaning |\n|---|---|---|\n" + "".join(_settings())
    )


def _settings() -> Iterator[str]:
    for spec in fields(Settings):
        default = "**required**" if spec.default is MISSING else f"`{_plain(spec.default)}`"
        meaning = spec.metadata["help"]
        if spec.metadata["least"] is not None:
            meaning += f" At least {spec.metadata['least']}."
        yield f"| `{spec.name.upper()}` | {default} | {meaning} |\n"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) or "(empty)"


def api() -> str:
    """Every operation, in one line each; `/docs` of a running server shows all of them in full."""
    # Only the shape of the application is looked at: nothing connects.
    unused = Settings(database_url="unused", redis_url="redis://unused", secret_key="x" * 32)
    spec = docs.interface(create_app(unused)).document
    rows = [
        f"| `{method.upper()} {path}` | {_summary(operation)} |"
        f" {_credential(operation['security'])} |\n"
        for path, item in sorted(spec["paths"].items())
        for method, operation in item.items()
        if method in METHODS
    ]
    return (
        "# API\n\n"
        "All operations. A running server shows each with its fields at `/docs`, and the OpenAPI "
        "3.1 document at `/openapi.json`.\n\n"
        "**Preview** means that an operation works but may still change in the next release, "
        "without a deprecation before. Its answers have the header `X-API-Status: preview`.\n\n"
        "| operation | does | credential |\n|---|---|---|\n" + "".join(rows)
    )


def _summary(operation: dict[str, Any]) -> str:
    preview = "Preview. " if operation.get("x-status") == "preview" else ""
    return preview + str(operation.get("summary", ""))


def _credential(security: list[dict[str, Any]]) -> str:
    return ("none", "access token", "API key or access token")[len(security)]


PAGES: dict[str, Callable[[], str]] = {
    "errors.md": errors,
    "configuration.md": configuration,
    "limits.md": limits.page,
    "api.md": api,
}


def write(folder: Path) -> list[str]:
    """Write the pages below `folder`; returns the names of those that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for name, render in PAGES.items():
        page, path = GENERATED + render(), folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")
            changed.append(name)
    return changed


@click.command("docs")
@click.argument("folder", type=click.Path(path_type=Path), default="docs/reference")
def run_docs(folder: Path) -> None:
    """Write the reference pages that come from the code."""
    for name in write(folder):
        click.echo(f"wrote {folder / name}")
