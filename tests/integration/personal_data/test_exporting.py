"""An export holds all that an account has, for itself alone and for some days."""

import io
import json
import random
import re
import zipfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.campaigns.campaigns import service as campaigns
from app.domains.own_data.personal_data import archive, export_store, service, table_store, tables
from tests import builders, rows_everywhere
from tests.integration.campaigns.disputed import Case

PATH = "/v1/account/export"
KEY = {"name": "laptop", "scopes": ["memory"]}
REMEMBERED = {"type": "fact", "content": "Ada likes owls", "source": "user_approved"}


def bearer(settings: Settings, account_id: UUID) -> dict[str, str]:
    with db.transaction() as tx:
        return {"Authorization": f"Bearer {builders.access_token(tx, settings, account_id)}"}


@pytest.fixture
def ada(settings: Settings) -> dict[str, str]:
    with db.transaction() as tx:
        account_id = builders.account(tx, "ada@example.org")
    return bearer(settings, account_id)


def exported(client: FlaskClient, settings: Settings, headers: dict[str, str]) -> dict[str, Any]:
    """The export, written."""
    answer = client.post(PATH, headers=headers)
    assert answer.status_code == 202, answer.text
    builders.work(settings, answer.get_json()["export"]["id"], noun=Noun.EXPORT)
    export: dict[str, Any] = client.get(PATH, headers=headers).get_json()["export"]
    return export


def opened(client: FlaskClient, headers: dict[str, str]) -> zipfile.ZipFile:
    answer = client.get(f"{PATH}/file", headers=headers)
    assert answer.status_code == 200, answer.text
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    return zipfile.ZipFile(io.BytesIO(answer.data))


def test_every_list_is_in_the_export_of_an_account_that_has_everything(settings: Settings) -> None:
    account_id = ids.new()
    rows_everywhere.plant(settings.database_url, account_id)
    with db.transaction() as tx:
        tx.execute("select set_config('app.account_id', %s, true)", [str(account_id)])
        tx.execute("delete from memory_keys")  # its key is none
    written = archive.Archive(bytearray().extend)
    list(service.write(written, settings, account_id))
    lists = {listing.file for listing in tables.EXPORTED}
    assert {name for name, lines in written.lines.items() if lines} == lists


def test_the_guide_names_every_list_of_an_export() -> None:
    guide = Path("docs/how-to/export-and-delete-an-account.md").read_text()
    named = re.findall(r"`([a-z_*]+)`", guide)
    files = [exported.file for exported in tables.EXPORTED]
    assert [x for x in files if not any(fnmatch(x, name) for name in named)] == []


def test_what_a_funder_says_of_a_record_is_in_its_export(settings: Settings) -> None:
    case = Case.of(settings)
    with db.transaction() as tx:
        campaigns.judge(tx, case.campaign, case.record_id, accepts=False)
    [listing] = [each for each in tables.EXPORTED if each.table.name == "campaign_versions"]
    [version] = table_store.rows(listing, case.funder)
    assert version["owner_verdict"] is False


def test_an_export_has_keys_and_opened_memories_and_no_secret(
    client: FlaskClient, settings: Settings, ada: dict[str, str]
) -> None:
    secret = client.post("/v1/api-keys", json=KEY, headers=ada).get_json()["secret"]
    client.post("/v1/personas/me/memory", json=REMEMBERED, headers={"X-API-Key": secret})
    export = exported(client, settings, ada)
    assert (export["status"], export["lines"]["api_keys"]) == ("completed", 1)
    file = opened(client, ada)
    assert json.loads(file.read("memories.ndjson"))["content"] == "Ada likes owls"
    assert json.loads(file.read("account.ndjson"))["email"] == "ada@example.org"
    assert all(secret.encode() not in file.read(name) for name in file.namelist())


def test_what_is_stored_of_an_export_cannot_be_read_from_the_database(
    client: FlaskClient, settings: Settings, ada: dict[str, str]
) -> None:
    exported(client, settings, ada)
    with db.reading() as reader:
        sealed = db.value(reader, "select sealed from account_export_parts")
    assert b"PK" not in bytes(sealed)[:64]
    assert b"account.ndjson" not in bytes(sealed)


def test_another_account_has_no_part_of_it(
    client: FlaskClient, settings: Settings, ada: dict[str, str]
) -> None:
    exported(client, settings, ada)
    with db.transaction() as tx:
        other = builders.account(tx, "eve@example.org")
    answer = client.get(f"{PATH}/file", headers=bearer(settings, other))
    assert answer.get_json()["error"]["code"] == "export_not_found"


def test_a_file_that_is_not_written_yet_says_so(client: FlaskClient, ada: dict[str, str]) -> None:
    client.post(PATH, headers=ada)
    answer = client.get(f"{PATH}/file", headers=ada)
    assert answer.get_json()["error"]["code"] == "export_not_ready"


def test_a_second_request_gets_the_export_that_is_being_written(
    client: FlaskClient, ada: dict[str, str]
) -> None:
    first, second = (client.post(PATH, headers=ada).get_json()["export"]["id"] for _ in range(2))
    assert first == second


def test_an_export_is_deleted_when_its_days_are_over(
    client: FlaskClient, settings: Settings, ada: dict[str, str]
) -> None:
    exported(client, settings, ada)
    with db.transaction() as tx:
        tx.execute("update account_exports set expires_at = now()")
        assert export_store.expire(tx) == 1
        assert db.value(tx, "select count(*) from account_export_parts") == 0


def test_pieces_are_of_one_size_and_make_the_whole() -> None:
    pieces: list[bytes] = []
    written = archive.Archive(pieces.append)
    chance = random.Random(7)
    lines = ({"n": n, "text": chance.randbytes(500).hex()} for n in range(3_000))
    written.add("many", lines)
    size = written.finish({"account": "acct_x"})
    assert {len(piece) for piece in pieces[:-1]} == {archive.PIECE_BYTES}
    assert len(b"".join(pieces)) == size
    assert zipfile.ZipFile(io.BytesIO(b"".join(pieces))).testzip() is None
