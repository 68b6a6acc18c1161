"""An export holds all that an account has, for itself alone and for some days."""

import io
import json
import random
import re
import zipfile
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.campaigns.campaigns import service as campaigns
from app.domains.own_data.personal_data import archive, export_store, service, table_store, tables
from tests import builders, rows_everywhere
from tests.caller import Caller
from tests.integration.campaigns.disputed import Case

PATH = "/v1/account/export"
KEY = {"name": "laptop", "scopes": ["memory"]}
REMEMBERED = {"type": "fact", "content": "Ada likes owls", "source": "user_approved"}


@dataclass(frozen=True)
class Exporter(Caller):
    """Who is signed in, and has exports written."""

    settings: Settings

    def exported(self) -> dict[str, Any]:
        """The export, written."""
        answer = self.post(PATH)
        assert answer.status_code == 202, answer.text
        builders.work(self.settings, answer.get_json()["export"]["id"], noun=Noun.EXPORT)
        export: dict[str, Any] = self.get(PATH).get_json()["export"]
        return export

    def opened(self) -> zipfile.ZipFile:
        answer = self.get(f"{PATH}/file")
        assert answer.status_code == 200, answer.text
        assert int(answer.headers["Content-Length"]) == len(answer.data)
        return zipfile.ZipFile(io.BytesIO(answer.data))


def exporter(client: FlaskClient, settings: Settings, email: str) -> Exporter:
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, builders.account(tx, email))
    return Exporter(client, {"Authorization": f"Bearer {token}"}, settings)


@pytest.fixture
def ada(client: FlaskClient, settings: Settings) -> Exporter:
    return exporter(client, settings, "ada@example.org")


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


def test_an_export_has_keys_and_opened_memories_and_no_secret(ada: Exporter) -> None:
    secret = ada.post("/v1/api-keys", KEY).get_json()["secret"]
    Caller(ada.client, {"X-API-Key": secret}).post("/v1/personas/me/memory", REMEMBERED)
    export = ada.exported()
    assert (export["status"], export["lines"]["api_keys"]) == ("completed", 1)
    file = ada.opened()
    assert json.loads(file.read("memories.ndjson"))["content"] == "Ada likes owls"
    assert json.loads(file.read("account.ndjson"))["email"] == "ada@example.org"
    assert all(secret.encode() not in file.read(name) for name in file.namelist())


def test_what_is_stored_of_an_export_cannot_be_read_from_the_database(ada: Exporter) -> None:
    ada.exported()
    with db.reading() as reader:
        sealed = db.value(reader, "select sealed from account_export_parts")
    assert b"PK" not in bytes(sealed)[:64]
    assert b"account.ndjson" not in bytes(sealed)


def test_another_account_has_no_part_of_it(
    client: FlaskClient, settings: Settings, ada: Exporter
) -> None:
    ada.exported()
    answer = exporter(client, settings, "eve@example.org").get(f"{PATH}/file")
    assert answer.get_json()["error"]["code"] == "export_not_found"


def test_a_file_that_is_not_written_yet_says_so(ada: Exporter) -> None:
    ada.post(PATH)
    answer = ada.get(f"{PATH}/file")
    assert answer.get_json()["error"]["code"] == "export_not_ready"


def test_a_second_request_gets_the_export_that_is_being_written(ada: Exporter) -> None:
    first, second = (ada.post(PATH).get_json()["export"]["id"] for _ in range(2))
    assert first == second


def test_an_export_is_deleted_when_its_days_are_over(ada: Exporter) -> None:
    ada.exported()
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
