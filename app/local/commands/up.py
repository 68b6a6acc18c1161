"""The command that runs everything on this machine: `citegrid-server up`."""

import signal
import sys
from importlib import import_module

import click
import psycopg

from app.core import db
from app.core.config.settings import environment, provide
from app.core.db.migrate import MigrationChanged
from app.local.commands.data_folder import data_option
from app.local.embedded.children import ServerFailed
from app.local.embedded.shared_metrics import shared_metrics
from app.local.embedded.state import AlreadyRunning, CannotStart, DataFolder
from app.local.terminal import Terminal


@click.command("up")
@data_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. Add public host names to ALLOWED_HOSTS.",
)
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="Port to listen on.",
)
@click.option("--verbose", is_flag=True, help="Show all logs instead of problems only.")
def run_up(folder: DataFolder, host: str, port: int, verbose: bool) -> None:
    """Run everything on this machine until Ctrl-C.

    This includes Postgres and Redis unless DATABASE_URL and REDIS_URL are set.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up as after Ctrl-C
    terminal = Terminal(sys.stdout, environment())
    try:
        with folder.hold(), shared_metrics(folder.path) as metrics:
            provide({"PROMETHEUS_MULTIPROC_DIR": str(metrics)})
            # Not before: a program that is forked from this one counts in the files that
            # prometheus_client chooses when it is loaded.
            local = import_module("app.local.embedded.up")
            local.up(folder, local.Options(host=host, port=port, verbose=verbose), terminal)
    except AlreadyRunning as already:
        where = f"at {already.run.url}" if already.run else "and is still starting"
        raise click.ClickException(f"Already running on {folder.path} {where}.") from None
    except (CannotStart, ServerFailed, MigrationChanged) as error:
        raise click.ClickException(str(error)) from None
    except psycopg.Error as error:
        raise click.ClickException(db.summary(error)) from None
    except KeyboardInterrupt:
        raise click.ClickException("Stopped during startup.") from None
    finally:
        terminal.settled()
