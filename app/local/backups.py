"""A backup: a dump of the database as it was at one moment, and a manifest that says what it is.

Redis holds nothing that is worth keeping, and secrets of the environment are not in it: without the
SECRET_KEY of its time the sealed parts of a backup can be read by nobody.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg import sql

from app import __version__
from app.core import db
from app.core.config.settings import Settings
from app.core.vault import Vault
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs.dispatch import sweep
from app.local import postgres_programs

DUMP, MANIFEST = "database.dump", "manifest.json"
UNFINISHED = ".unfinished"


class NoBackup(RuntimeError):
    """A backup could not be made or restored; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A backup: all that was committed before `taken_at`, and nothing after."""

    taken_at: str
    release: str
    newest_migration: str
    sealed_under: str
    """Tells SECRET_KEYs apart without saying anything about them."""
    roles: list[str]
    """Named in the rights of tables and functions."""
    server_version: int
    open_jobs: int
    dump_sha256: str

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Raises NoBackup."""
        try:
            return cls(**json.loads((folder / MANIFEST).read_text()))
        except (OSError, ValueError, TypeError) as error:
            raise NoBackup(f"{folder} is not a backup: {error}") from None

    @property
    def age_seconds(self) -> float:
        return (datetime.now(UTC) - datetime.fromisoformat(self.taken_at)).total_seconds()


def create(settings: Settings, parent: Path) -> Path:
    """Back up into a new folder below `parent`; returns it. The service goes on meanwhile.

    Raises NoBackup, ProgramFailed, psycopg.Error. What is not finished has another name.
    """
    url = settings.database_backup_url or settings.owner_url
    with db.connect(url, role=None) as connection, connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        connection.execute("set local statement_timeout = 0")
        connection.execute("set local idle_in_transaction_session_timeout = 0")
        _require_sight(connection)
        facts = dict(zip(_FACT_NAMES, connection.execute(_FACTS).fetchone() or (), strict=True))
        folder = parent / f"citegrid-{facts['taken_at']:%Y%m%dT%H%M%SZ}"
        unfinished = folder.with_name(folder.name + UNFINISHED)
        unfinished.mkdir(mode=0o700, parents=True)
        version = connection.info.server_version
        dump = unfinished / DUMP
        snapshot = f"--snapshot={facts.pop('snapshot')}"
        postgres_programs.run(
            "pg_dump", url, version, "--format=custom", "--lock-wait-timeout=60s", snapshot,
            "--schema=public", "--file", dump,
        )  # fmt: skip
    manifest = Manifest(
        **facts | {"taken_at": facts["taken_at"].isoformat()},
        release=__version__,
        sealed_under=_key_id(settings.secret_key),
        server_version=version,
        dump_sha256=_sha256(dump),
    )
    (unfinished / MANIFEST).write_text(json.dumps(asdict(manifest), indent=2) + "\n")
    return unfinished.rename(folder)


def finished(parent: Path) -> list[Path]:
    """The backups below `parent`, oldest first."""
    return sorted(file.parent for file in parent.glob(f"citegrid-*Z/{MANIFEST}"))


_FACT_NAMES = ("snapshot", "taken_at", "newest_migration", "open_jobs", "roles")
_FACTS = """
    select pg_export_snapshot(), now(),
        (select max(name) from schema_migrations),
        (select count(*) from jobs where finished_at is null),
        (select coalesce(array_agg(distinct rolname::text), '{}') from pg_roles join (
            select relowner as owner, (aclexplode(relacl)).grantee from pg_class
            where relnamespace = 'public'::regnamespace
            union select proowner, (aclexplode(proacl)).grantee from pg_proc
            where pronamespace = 'public'::regnamespace
            union select nspowner, (aclexplode(nspacl)).grantee from pg_namespace
            where nspname = 'public'
        ) rights on pg_roles.oid = grantee
        where rolname not like 'pg\\_%' and grantee <> owner)
    """


def _require_sight(connection: psycopg.Connection[Any]) -> None:
    """Row security would hide rows from anybody else, and the dump would lack them."""
    powers = "select rolsuper or rolbypassrls from pg_roles where rolname = current_user"
    if connection.execute(powers).fetchone() != (True,):
        raise NoBackup(
            "Row security hides rows from this role. As a superuser, run `create role"
            " citegrid_backup login bypassrls in role pg_read_all_data` with a password, and name"
            " that role in DATABASE_BACKUP_URL."
        )


def restore(settings: Settings, folder: Path, *, without_key: bool = False) -> Manifest:
    """Fill the empty database of the settings; what was open then goes on.

    All or nothing. Raises NoBackup, ProgramFailed, psycopg.Error.
    """
    manifest = Manifest.read(folder)
    if _sha256(folder / DUMP) != manifest.dump_sha256:
        raise NoBackup(f"{folder / DUMP} is damaged: its checksum does not match the manifest.")
    if not without_key:
        _require_key(settings, manifest)
    url = settings.owner_url
    with db.connect(url, role=None) as connection:
        _require_empty(connection)
        _make_roles(connection, manifest.roles)
        version = connection.info.server_version
    contents = postgres_programs.run("pg_restore", url, version, "--list", folder / DUMP)
    listed = folder.with_name(folder.name + ".contents")
    listed.write_text(_wanted(contents))
    try:
        postgres_programs.run(
            "pg_restore", url, version, "--single-transaction", "--exit-on-error", "--no-owner",
            "--use-list", listed, "--dbname", _database(url), folder / DUMP,
        )  # fmt: skip
    finally:
        listed.unlink()
    with db.connect(url, role=None) as connection:
        connection.execute("set statement_timeout = 0")
        connection.execute(_FUTURE_RIGHTS.format(role=sql.Identifier(settings.database_role)))
        connection.execute("analyze")
    recovered(settings, manifest.age_seconds, "database.restored")
    return manifest


def recovered(settings: Settings, seconds: float, action: str = "database.recovered") -> int:
    """Let open jobs go on after the database went back by so much; how many there are.

    `action` is what the audit log says of it.
    """
    url = settings.owner_url
    with db.connect(url, role=None) as connection, connection.transaction():
        connection.execute("set local statement_timeout = 0")
        if connection.execute(_HAS_AUDIT_LOG).fetchone() == (True,):
            record_event(connection, action, seconds_back=round(seconds))  # type: ignore[arg-type]
        return sweep.resume(connection, seconds)  # type: ignore[arg-type]


# A backup may be of a release before it.
_HAS_AUDIT_LOG = "select to_regclass('audit_events') is not null"


def _require_key(settings: Settings, manifest: Manifest) -> None:
    if manifest.sealed_under not in map(_key_id, settings.secret_keys):
        raise NoBackup(
            "This backup was made under another SECRET_KEY: its API keys would not be accepted, and"
            " secrets of webhooks and memories could not be read. Set that one as SECRET_KEY, or as"
            " SECRET_KEY_PREVIOUS. With --without-key it is restored all the same."
        )


def _require_empty(connection: psycopg.Connection[Any]) -> None:
    tables = "select count(*) from pg_class where relnamespace = 'public'::regnamespace"
    if connection.execute(tables).fetchone() != (0,):
        raise NoBackup("The database is not empty: restore into a new one (createdb).")


def _make_roles(connection: psycopg.Connection[Any], names: list[str]) -> None:
    """Rights are granted to them; on a new server nobody has made them yet."""
    known = "select rolname from pg_roles where rolname = any(%s)"
    missing = sorted({*names}.difference(*connection.execute(known, [names])))
    if not missing:
        return
    make = sql.SQL("; ").join(
        sql.SQL("create role {0} nologin; grant {0} to {1}").format(
            sql.Identifier(name), sql.Identifier(connection.info.user)
        )
        for name in missing
    )
    try:
        connection.execute(make)
    except psycopg.errors.InsufficientPrivilege:
        raise NoBackup(
            f"Roles are missing that the role of DATABASE_OWNER_URL may not create. As a superuser,"
            f" run `{make.as_string(connection)}`, then restore again."
        ) from None


# Belongs to the owner that the old server had; the new one grants the same (0001_role).
_FUTURE_RIGHTS = sql.SQL(
    "alter default privileges grant select, insert, update, delete on tables to {role};"
    " alter default privileges grant usage on sequences to {role}"
)
_NOT_RESTORED = (" DEFAULT ACL ", " SCHEMA - public ", " COMMENT - SCHEMA public ")


def _wanted(contents: str) -> str:
    """The list of contents without what is not to be restored."""
    lines = contents.splitlines()
    return "\n".join(line for line in lines if not any(part in line for part in _NOT_RESTORED))


def _database(url: str) -> str:
    with db.connect(url, role=None) as connection:
        return connection.info.dbname


def _key_id(secret_key: str) -> str:
    return Vault([secret_key], "backup").current.hex()


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
