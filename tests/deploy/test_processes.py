"""The commands of the Procfile and of the units are run, over a real Postgres and Redis."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
import yaml

from app.core.config.settings import environment
from app.local.embedded.children import tail
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from app.local.embedded.supervisor import Program
from tests import servers
from tests.deploy.conftest import DEPLOY, ROOT
from tests.deploy.installation import Installation, ask, installed, search_ends
from tests.deploy.unit_files import Unit, unit
from tests.patience import PATIENCE_SECONDS

BIN = Path(sys.executable).parent
QUEUES = ("searches", "payments", "ledger", "corpora", "housekeeping", "extraction", "campaigns",
          "webhooks")  # fmt: skip

pytestmark = [pytest.mark.deploy, pytest.mark.runs]


@pytest.fixture
def installation(postgres: Postgres, redis_server: Redis) -> Iterator[Installation]:
    with installed(postgres, redis_server) as made:
        yield made


def _queues_with_workers(installation: Installation) -> set[str]:
    with psycopg.connect(installation.settings.database_url) as connection:
        rows = connection.execute("select unnest(queues) from workers").fetchall()
    return {queue for (queue,) in rows}


def _all_answer(installation: Installation) -> bool:
    ports = installation.ports
    ready, facts = ask(ports.web, "GET", "/readyz")
    return (
        ready == 200
        and facts["dispatchers"] == "ok"
        and ask(ports.waiting, "GET", "/healthz")[0] == 200
        and ask(ports.mcp, "GET", "/mcp")[0] == 401
    )


def test_the_procfile_is_released_started_used_and_stopped(
    installation: Installation, tmp_path: Path
) -> None:
    procfile = tmp_path / "Procfile"
    procfile.write_text(installation.ports.within((ROOT / "Procfile").read_text()))
    variables = {
        **environment(),
        **installation.environment(),
        "PATH": f"{BIN}:{environment()['PATH']}",
        "SERVICE_BASE_URL": f"http://127.0.0.1:{installation.ports.web}",
        "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{installation.ports.web}",
        "C_FORCE_ROOT": "1",
    }
    honcho = [str(BIN / "honcho"), "-d", str(ROOT), "-f", str(procfile), "start"]
    subprocess.run([*honcho, "release"], env=variables, check=True, timeout=PATIENCE_SECONDS)
    names = re.findall(r"^(\w+):", procfile.read_text(), re.MULTILINE)
    started = [name for name in names if name not in ("release", "rendering")]
    log = tmp_path / "honcho.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*honcho, *started], env=variables, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            servers.until(lambda: process.poll() is not None or _all_answer(installation))
            assert process.poll() is None, tail(log, lines=60)
            servers.until(lambda: _queues_with_workers(installation) == set(QUEUES))
            assert search_ends(installation.ports.web, installation.key()) == "completed"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_SECONDS)
    # honcho kills what has not ended after five seconds, which is not much on a busy machine: how
    # processes end when they are given their time, the units show.
    assert process.returncode == 143, tail(log)


@pytest.fixture
def units(installation: Installation, tmp_path: Path) -> dict[str, Unit]:
    """By name, with the environment files that the how-to page tells to write."""
    for folder in ("metrics", "targets"):
        (tmp_path / folder).mkdir()
    shared = installation.environment()
    database = {"DATABASE_URL": shared.pop("DATABASE_URL")}
    # What differs from a machine with systemd: who we are, and folders.
    shared |= {
        "C_FORCE_ROOT": "1",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"),
        "METRICS_TARGETS": str(tmp_path / "targets"),
        "TRUSTED_PROXIES": "1",
    }
    files = {
        "citegrid.env": shared,
        "owner.env": database,
        "api.env": database,
        "worker.env": database | {"METRICS_PORT": "0"},
        "worker-searches.env": {"CONCURRENCY": "2"},
    }
    made = [unit(name, files) for name in ("release", "mcp")]
    made += [unit(name, files, "1") for name in ("web@", "waiting@")]
    made += [unit("worker@", files, queue) for queue in QUEUES]
    files["worker.env"] = database | {"METRICS_PORT": str(installation.ports.metrics)}
    made.append(unit("dispatcher", files))
    return {one.name: one for one in made}


def test_units_are_released_started_used_scraped_and_stopped(
    installation: Installation, units: dict[str, Unit], tmp_path: Path
) -> None:
    def start(one: Unit) -> Program:
        command = installation.ports.within(one.command)
        log = tmp_path / f"{one.name}.log"
        program = Program(one.name, command, log=log, folder=ROOT, environment=one.environment)
        program.start()
        return program

    release = start(units.pop("release"))
    servers.until(lambda: not release.running)
    with ExitStack() as ends:
        programs = {name: start(one) for name, one in units.items()}
        for program in programs.values():
            ends.callback(program.kill)
        servers.until(lambda: _all_answer(installation) or not _all_run(programs))
        _check_all_run(programs)
        servers.until(lambda: _queues_with_workers(installation) == set(QUEUES))
        assert search_ends(installation.ports.web, installation.key()) == "completed"
        assert _missing_metrics(installation) == set()
        _stop(programs, units)
    assert _queues_with_workers(installation) == set()  # each said goodbye


def _all_run(programs: dict[str, Program]) -> bool:
    return all(program.running for program in programs.values())


def _check_all_run(programs: dict[str, Program]) -> None:
    for name, program in programs.items():
        assert program.running, f"{name}: {tail(program.log)}"


def _stop(programs: dict[str, Program], units: dict[str, Unit]) -> None:
    """SIGTERM for the main process alone, as KillMode=mixed does; then each ends in its time."""
    began = time.monotonic()
    for program in programs.values():
        program.ask_to_end()
    for name, program in programs.items():
        process = program._process
        assert process is not None
        left = units[name].stop_seconds - (time.monotonic() - began)
        assert process.wait(max(0.1, left)) in (0, -signal.SIGTERM), tail(program.log)
        assert "Traceback" not in program.log.read_text(), tail(program.log)


def _missing_metrics(installation: Installation) -> set[str]:
    """Gauges that alerts are about and the dispatcher does not serve."""
    status, text = ask(installation.ports.metrics, "GET", "/metrics")
    assert status == 200
    (group,) = yaml.safe_load((DEPLOY / "prometheus" / "rules.yml").read_text())["groups"]
    named = {name for rule in group["rules"] for name in re.findall(r"citegrid_\w+", rule["expr"])}
    gauges = {name for name in named if not name.endswith(("_total", "_bucket"))}
    # Only where OpenSearch follows, and only of the web processes themselves.
    elsewhere = {"citegrid_index_lag_seconds", "citegrid_web_answers"}
    return {name for name in gauges if f"\n{name}" not in text} - elsewhere
