"""Parts of a campaign: its records with their passages, its runs, money and disputes."""

from typing import Any, Final
from uuid import UUID

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db
from app.core.errors import Conflict, Invalid, NotFound
from app.core.http.access import caller, signed_in
from app.core.http.exports import forms
from app.domains.campaigns.campaigns import service
from app.domains.campaigns.campaigns.export import stream
from app.domains.campaigns.campaigns.records.record_schemas import RECORD_STATES
from app.domains.campaigns.reviews.vote_items import CATEGORIES
from app.engine.extraction.text.json_pointer import escaped
from app.web.citations import stored_pages
from app.web.citations.quotes import CitedQuote
from app.web.frame import outcomes, times
from app.web.frame.operations import call, every, page_of
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again
from app.web.frame.tables import download, export_items
from app.web.pages.campaigns import transfers

bp = Blueprint("campaign_record_pages", __name__)

COLUMNS_SHOWN: Final = 4
ENTRY_COLUMNS: Final = ("id", "posted_at", "why", "kind", "token", "amount")


@bp.get("/campaigns/<campaign_id>/records")
@signed_in
def records(campaign_id: str) -> Response:
    state = request.args.get("state", "any")
    campaign = call("getCampaign", campaign_id=campaign_id)
    counts = call("getCampaignStatistics", campaign_id=campaign_id)["records"]
    found = page_of("listCampaignRecords", {"state": state}, campaign_id=campaign_id)
    total = sum(counts[each] for each in RECORD_STATES)
    return render(
        "campaigns/records.html",
        live="rows",
        final=campaign["ended_at"] is not None and campaign["reserved"] == "0",
        campaign=campaign,
        found=found,
        state=state,
        filters=[(None, total), *((each, counts[each]) for each in RECORD_STATES)],
        total_of_all=total,
        total=counts.get(state, total),
        columns=_columns(campaign["schema"]["properties"]),
    )


def _columns(properties: dict[str, Any]) -> list[str]:
    """The first ones; the address is on the record's own page, unless there is nothing else."""
    return [name for name in properties if name != "url"][:COLUMNS_SHOWN] or list(properties)


@bp.get("/campaigns/<camp:campaign_id>/records.<any(csv, ndjson):form>")
@signed_in
def export_records(campaign_id: UUID, form: str) -> Response:
    state = request.args.get("state", "any")
    if state not in (*RECORD_STATES, "any"):
        raise Invalid.at("/state", "Unknown record state.")
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
    kind = forms.CSV if form == "csv" else forms.NDJSON
    lines = stream(campaign, None if state == "any" else state, kind)
    return download("records", forms.in_blocks(lines), form)


@bp.get("/campaigns/<campaign_id>/records/<record_id>")
@signed_in
def record(campaign_id: str, record_id: str, errors: Invalid | None = None) -> Response:
    found = call("getCampaignRecord", campaign_id=campaign_id, record_id=record_id)
    return render(
        "campaigns/record.html",
        errors=errors,
        campaign=call("getCampaign", campaign_id=campaign_id),
        record=found,
        passages=_passages(found),
        unsure={name for name in found["data"] if _is_unsure(found, name)},
        categories=[(each, each.replace("_", " ").capitalize()) for each in CATEGORIES],
    )


def _passages(record: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The quotes of each member of the record, each with its number among all of them."""
    quotes = [{**quote, "n": n} for n, quote in enumerate(record["provenance"])]
    return {
        name: [quote for quote in quotes if quote["pointer"].split("/")[1:2] == [escaped(name)]]
        for name in record["data"]
    }


def _is_unsure(record: dict[str, Any], name: str) -> bool:
    return any(pointer.split("/")[1] == escaped(name) for pointer in record["unsure"])


@bp.post("/campaigns/<campaign_id>/records/<record_id>/dispute")
@signed_in
@shown_again(record, {Conflict: "reason"})
def dispute(campaign_id: str, record_id: str) -> Response:
    body = {name: request.form.get(name, "") for name in ("category", "reason")}
    key = request.form.get("key")
    call("disputeRecord", body, once=key, campaign_id=campaign_id, record_id=record_id)
    return redirect(f"/campaigns/{campaign_id}/disputes", 303)


@bp.post("/campaigns/<campaign_id>/records/<record_id>/judgement")
@signed_in
def judge(campaign_id: str, record_id: str) -> Response:
    body = {"verdict": request.form.get("verdict", "")}
    call("judgeCampaignRecord", body, campaign_id=campaign_id, record_id=record_id)
    return redirect(f"/campaigns/{campaign_id}/records/{record_id}", 303)


@bp.get("/campaigns/<campaign_id>/snapshots/<snapshot_id>/view")
@signed_in
def snapshot(campaign_id: str, snapshot_id: str) -> Response:
    record_id, number = request.args.get("record", ""), request.args.get("quote", type=int)
    found = call("getCampaignRecord", campaign_id=campaign_id, record_id=record_id)
    quotes = found["provenance"]
    if number is None or not 0 <= number < len(quotes):
        raise NotFound
    if (quote := quotes[number])["snapshot"] != snapshot_id:
        raise NotFound
    stored = call("getSnapshot", snapshot_id=snapshot_id)
    back = f"/campaigns/{campaign_id}/records/{record_id}"
    return stored_pages.view(stored, CitedQuote.of(quote), back=back)


@bp.get("/campaigns/<campaign_id>/runs")
@signed_in
def runs(campaign_id: str) -> Response:
    campaign = call("getCampaign", campaign_id=campaign_id)
    found = page_of("listCampaignRuns", campaign_id=campaign_id)
    return render(
        "campaigns/runs.html",
        live="rows",
        campaign=campaign,
        found=found,
        **times.durations(found["runs"], "created_at", "ended_at"),
        well=outcomes.WELL,
    )


@bp.get("/campaigns/<campaign_id>/ledger")
@signed_in
def ledger(campaign_id: str) -> Response:
    campaign = call("getCampaign", campaign_id=campaign_id)
    found = page_of("listCampaignLedger", campaign_id=campaign_id)
    return render(
        "campaigns/ledger.html",
        campaign=campaign,
        found=transfers.of_campaign(found),
        balances=transfers.BALANCES,
    )


@bp.get("/campaigns/<campaign_id>/ledger.<any(csv, json):form>")
@signed_in
def export_ledger(campaign_id: str, form: str) -> Response:
    call("getCampaign", campaign_id=campaign_id)
    entries = every("listCampaignLedger", "entries", campaign_id=campaign_id)
    return export_items("campaign-ledger", ENTRY_COLUMNS, entries, form)


@bp.get("/campaigns/<campaign_id>/disputes")
@signed_in
def disputes(campaign_id: str) -> Response:
    campaign = call("getCampaign", campaign_id=campaign_id)
    found = page_of("listCampaignDisputes", campaign_id=campaign_id)
    return render("campaigns/disputes.html", campaign=campaign, found=found)
