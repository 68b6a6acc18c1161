"""An account's data in campaigns."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, Nameless, Retention, RowDeletion, Table
from app.core.ids import Noun

_CAMPAIGNS: LiteralString = "select id from campaigns where account_id = %(account_id)s"
_RUNS: LiteralString = (
    "select id from campaign_runs where campaign_id = any(array(" + _CAMPAIGNS + "))"  # noqa: S608
)
_RECORDS: LiteralString = (
    "select id from campaign_records where campaign_id = any(array(" + _CAMPAIGNS + "))"  # noqa: S608
)
_NOUNS: Final = {
    "campaign_id": Noun.CAMPAIGN,
    "run_id": Noun.CAMPAIGN_RUN,
    "record_id": Noun.CAMPAIGN_RECORD,
}

CAMPAIGNS_TABLES: Final = (
    Table(
        "campaigns",
        Export(
            "id, body, token, reward, records_target, state, funded, refunded, starts_at, ends_at,"
            " created_at, ended_at",
            {"id": Noun.CAMPAIGN},
        ),
        RowDeletion(),
    ),
    Table(
        "campaign_runs",
        Export(
            "id, campaign_id, tick, state, reserved, spent, report, created_at, ended_at",
            {"id": Noun.CAMPAIGN_RUN, **_NOUNS},
        ),
        RowDeletion(),
        by="campaign_id",
        parents=_CAMPAIGNS,
    ),
    Table(
        "campaign_pages",
        "work of a run: what came of it are its records",
        RowDeletion(snapshot="snapshot_id"),
        by="campaign_id",
        parents=_CAMPAIGNS,
    ),
    Table(
        "campaign_records",
        Export(
            "id, campaign_id, run_id, url, version, state, duplicate_of, verified_at, fresh_until,"
            " created_at",
            {"id": Noun.CAMPAIGN_RECORD, "duplicate_of": Noun.CAMPAIGN_RECORD, **_NOUNS},
        ),
        RowDeletion(),
        by="campaign_id",
        parents=_CAMPAIGNS,
    ),
    Table(
        "campaign_versions",
        Export(
            "record_id, version, run_id, data, provenance, state, reasons, validated_by,"
            " independent_votes, owner_verdict, decided_at, created_at",
            _NOUNS,
            key=("record_id", "version"),
            file="campaign_record_versions",
        ),
        (
            RowDeletion(where="record_id = any(array(" + _RECORDS + "))", snapshot="snapshot_id"),
            Retention("records of others that its nodes contributed"),
        ),
        by="run_id",
        parents=_RUNS,
    ),
    Table(
        "record_disputes",
        Export(
            "id, kind, campaign_id, record_id, version, category, reason, state, decided_by,"
            " opened_at, decided_at",
            {"id": Noun.DISPUTE, **_NOUNS},
            file="disputes",
        ),
        Nameless("reason = 'erased'", "a version is disputed once; others' money followed from it"),
    ),
)
