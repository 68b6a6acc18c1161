"""The operator's command that asks a question."""

import json
import sys

import click

from app.core.config.settings import Settings
from app.domains.search.searches import presentation, schemas
from app.local import questions
from app.local.commands.operator_command import json_option, operating
from app.local.commands.search.progress import show_progress


@click.command("search")
@click.argument("query")
@json_option
@operating
@click.pass_obj
def search(settings: Settings, query: str, as_json: bool) -> None:
    """Ask a question and print the answer."""
    loaded = schemas.SearchIn().validate({"query": query})
    if loaded:
        raise click.UsageError("; ".join(f"{k}: {v[0]}" for k, v in loaded.items()))
    done = questions.ask(settings, query.strip(), show_progress)
    if as_json:
        click.echo(json.dumps(presentation.as_json(done)))
    else:
        for line in questions.lines(done):
            click.echo(line)
    if done.result is None:
        sys.exit(1)
