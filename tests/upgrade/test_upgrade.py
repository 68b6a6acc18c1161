"""From the release before to this code under load: migrated, side by side, rolled over.

Each test goes on where the one before it left the installation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import psycopg
import pytest

from app.core.db.migrate import migrate, pending
from app.local.embedded.postgres import Postgres
from tests import servers
from tests.mixed.load import MixedLoad, closing
from tests.mixed.world import World, world
from tests.upgrade import loading, report
from tests.upgrade.balancer import Balancer, balancing
from tests.upgrade.loading import Going, going
from tests.upgrade.releases import ROOT, Release, unpack

pytestmark = pytest.mark.upgrade

# A worker that is stopped ends children that need longer than the grace; their jobs go back.
ENDED_BY_GRACE = "WorkerLostError"


@dataclass
class Stage:
    commit: str
    old: Release
    new: Release
    postgres: Postgres
    balancer: Balancer
    world: World
    beside: Going
    keys: dict[str, str]


@pytest.fixture(scope="module")
def stage(commit: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The release before, at work on its own schema, with callers who come by the balancer."""
    code = tmp_path_factory.mktemp("release")
    if reason := unpack(commit, code):
        pytest.skip(reason)
    with (
        servers.folder() as home,
        Postgres(home / "pg", log=home / "pg.log") as postgres,
        servers.redis() as redis,
        world() as pages,
        balancing() as balancer,
    ):
        variables = {
            "DATABASE_URL": postgres.url(),
            "REDIS_URL": redis.url(),
            **pages.settings,
        }
        old, new = (
            Release(name, folder, home, variables)
            for name, folder in (("old", code), ("new", ROOT))
        )
        try:
            old.command("migrate")
            old.start("worker", "dispatcher", "api")
            balancer.serve(old.port)
            old.command("index", "add", "lighthouses", pages.address, "--kind", "site")
            keys = {
                name: loading.account(old.url, f"{name}@example.org")
                for name in ("through", "to-old", "to-new")
            }
            with going(balancer.url, keys["through"], pages) as beside:
                yield Stage(commit, old, new, postgres, balancer, pages, beside, keys)
        finally:
            old.kill()
            new.kill()


def test_the_release_before_goes_on_while_the_database_is_migrated(stage: Stage, jobs: int) -> None:
    stage.beside.further(jobs // 4)
    migrate(stage.postgres.url())
    stage.beside.further(jobs)
    assert pending(stage.postgres.url()) == []


def test_the_release_before_starts_on_the_new_schema(stage: Stage) -> None:
    stage.old.stop("worker", "dispatcher")
    stage.old.start("worker", "dispatcher")
    stage.beside.further(10)


def test_each_release_does_what_the_other_accepted(stage: Stage, jobs: int) -> None:
    stage.new.start("worker", "dispatcher", "api")
    servers.until(lambda: _takes_jobs(stage, stage.new))
    with (
        closing(_load(stage, "to-old", stage.old)) as to_old,
        closing(_load(stage, "to-new", stage.new)) as to_new,
    ):

        def have_met() -> bool:
            """Which worker gets a job is chance: more are sent until each had some of both."""
            for load in (to_old, to_new):
                load.submit(jobs)
            for load in (to_old, to_new):
                load.wait(600)
                assert load.tally().good, load.tally()
            return _pairs(stage) == set(product(("to-old", "to-new"), ("old", "new")))

        servers.until(have_met)


def test_a_rolling_upgrade_loses_nothing_and_fails_no_request(stage: Stage, jobs: int) -> None:
    stage.balancer.serve(stage.old.port, stage.new.port)
    stage.beside.further(jobs // 2)
    stage.balancer.serve(stage.new.port)
    stage.old.stop("api")
    stage.old.stop("worker", "dispatcher")
    stage.beside.further(jobs)
    stage.beside.finish()
    tally = stage.beside.load.tally()
    report.add(f"rolled over from {stage.commit[:7]}", tally, stage.beside.load.refusals.counts)
    assert tally.good, tally.examples
    assert stage.beside.load.refusals.server_errors == 0, stage.beside.load.refusals.counts


def test_no_process_of_either_release_met_what_it_did_not_expect(stage: Stage) -> None:
    logs = [
        f"{release.name} {name}: {line}"
        for release in (stage.old, stage.new)
        for name in ("api", "worker", "dispatcher")
        for line in release.log(name).splitlines()
        if "Traceback" in line and ENDED_BY_GRACE not in line
    ]
    assert logs == []


def _load(stage: Stage, name: str, release: Release) -> MixedLoad:
    key = stage.keys[name]
    return MixedLoad(release.url, key, world=stage.world, kinds=loading.KINDS)


def _takes_jobs(stage: Stage, release: Release) -> bool:
    """Whether its worker has said that it is there: of `host:pid`."""
    beats = "select from workers where id like %s"
    with psycopg.connect(stage.postgres.url()) as connection:
        pid = release.programs["worker"].pid
        return connection.execute(beats, [f"%:{pid}"]).fetchone() is not None


# A worker is called `host:pid of its parent:pid`.
_PAIRS = """
    select distinct split_part(email, '@', 1), split_part(worker, ':', 2)::int
    from jobs join accounts on accounts.id = jobs.account_id
    where jobs.state = 'succeeded' and worker is not null and email like 'to-%'
    """


def _pairs(stage: Stage) -> set[tuple[str, str]]:
    """Which release accepted a job, and which did it."""
    with psycopg.connect(stage.postgres.url()) as connection:
        rows = connection.execute(_PAIRS).fetchall()
    return {(name, "new" if pid in stage.new.worker_pids else "old") for name, pid in rows}
