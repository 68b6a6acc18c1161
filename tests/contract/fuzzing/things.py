"""What a run goes on with: things of its account, most of them as they are in the beginning."""

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any, Final
from uuid import UUID

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.campaigns.campaigns.runs import candidates, page_store
from app.domains.campaigns.campaigns.runs import node_work as extraction
from app.domains.providers.providers import service as providers
from app.domains.providers.work import service as work
from app.domains.providers.work.assignment import Draw
from app.domains.records.page_jobs import service as extractions
from tests import builders, node_work
from tests.chatting import MODEL
from tests.deployed import Deployed
from tests.integration.campaigns.disputed import Case

SPARE_TOKENS: Final = 200
CASES: Final = 6
HELD: Final = 12
PERSONA: Final = "me"
URL: Final = "https://birds.example.org/owls"
PAGE: Final = "# Barn owls\n\nThe barn owl hunts at night. It weighs between 250 and 480 grams.\n"
JOB: Final = {
    "type": "extraction",
    "source": {"type": "url", "url": "https://birds.example.org/"},
    "schema": {"type": "object", "properties": {"name": {"type": "string"}}},
    "max_pages": 1,
}
PROFILE: Final = {
    "display_name": "Ada",
    "handle": "ada",
    "description": "",
    "website": None,
    "published": True,
}
FACT: Final = {"type": "fact", "content": "Owns a boat", "source": "user_approved"}
# Nobody takes work away from who is slow.
HOLD: Final = """
    update jobs set lease_until = now() + interval '1 day', deadline_at = now() + interval '1 day'
    where id = any(%s)
    """

OPEN: Final = "update campaign_runs set state = 'collecting', open_pages = %s where id = %s"


def make(settings: Settings, running: Deployed) -> dict[str, Any]:
    """The tokens of a run, and what it knows by the names of places in paths and bodies: of each
    the values that take turns."""
    pepper = Pepper.of(settings)
    with db.transaction() as tx:
        account = builders.account(tx)
        others = [builders.account(tx, f"{n}@example.org") for n in range(SPARE_TOKENS)]
        token, *spare = [sessions.start(tx, pepper, id).access_token for id in (account, *others)]
        builders.credit(tx, account, "1000000")
        builders.reward(tx, account, "1000")
        node_id, node_token = node_work.node(tx, settings, account, capacity=64)
        known = {
            "handle": ["ada"],
            "node_id": [ids.public(Noun.NODE, node_id)],
            "offer_id": [_offer(tx, account)],
            "payout_id": [ids.public(Noun.PAYOUT, builders.payout(tx, account))],
            "persona_id": [PERSONA],
            "model": [MODEL],
            "fence": [1],
            **_extracted(tx, account),
        }
    cases = [_case(settings, account, n) for n in range(CASES)]
    known["campaign_id"] = [ids.public(Noun.CAMPAIGN, case.campaign.id) for case in cases]
    known["record_id"] = [ids.public(Noun.CAMPAIGN_RECORD, case.record_id) for case in cases]
    known["work_id"] = _held(cases[0], node_id)
    known |= _created(running, token)
    return {"token": token, "spare": spare, "node_token": node_token, "known": known}


def _offer(tx: Tx, account: UUID) -> str:
    """A public one."""
    providers.save_profile(tx, account, providers.draft(PROFILE))
    offer_id = builders.offer(tx, account)
    providers.change_offer(tx, account, offer_id, "cellar", published=True)
    return str(offer_id)


def _extracted(tx: Tx, account: UUID) -> dict[str, Any]:
    """A job with a record, and the snapshot that the record is from."""
    job = extractions.submit(tx, account, "extraction", JOB, kept_seconds=86_400)
    job_id = ids.public(Noun.JOB, job.id)
    record = SimpleNamespace(
        data={"name": "owl"}, unsatisfied=(), provenance=(), candidates={}, confidence=0.9
    )
    snapshot = builders.page_of_job(tx, job_id, "https://birds.example.org/", PAGE, record)
    snapshot_id = ids.public(Noun.SNAPSHOT, snapshot)
    return {"job_id": [job_id], "snapshot_id": [snapshot_id]}


def _case(settings: Settings, account: UUID, n: int) -> Case:
    """A campaign with a record of the account's own nodes: one that can be disputed, every other
    time one that can be appealed."""
    case = Case.between(settings, funder=account, maker=account, voter=account)
    case.decide("rejected" if n % 2 else "accepted")
    return case


def _held(case: Case, node_id: UUID) -> list[str]:
    """Pages of a campaign that the node is reading, each under its first fence."""
    statement = asdict(candidates.PageStatement(url=URL, validators={}))
    with db.transaction() as tx:
        snapshot_id = db.value(tx, "select id from snapshots limit 1")
        chosen = [page_store.PlannedPage(url=f"{URL}/{n}", kinds=("web",)) for n in range(HELD)]
        page_store.insert(tx, case.run_id, case.campaign.id, chosen)
        for page in page_store.queued(tx, case.run_id):
            offered = work.offer(
                tx, extraction.EXTRACTION, case.funder, subject=page.id, node_id=node_id
            )
            page_store.offer(tx, page.id, offered, snapshot_id, statement)
        wanted = node_work.wanted(tx, node_id, most=HELD, kinds=(extraction.EXTRACTION.name,))
        held = [row.id for row in Draw("salt").claim(tx, wanted)]
        tx.execute(HOLD, [held])
        tx.execute(OPEN, [HELD, case.run_id])
    assert len(held) == HELD
    return [ids.public(Noun.WORK, id) for id in held]


def _created(running: Deployed, token: str) -> dict[str, Any]:
    """What is made as anybody makes it."""
    headers = {"Authorization": f"Bearer {token}"}

    def created(path: str, body: dict[str, Any]) -> Any:
        answer = running.ask("POST", path, headers, body)
        assert answer.status == 201, answer.body
        return answer.json

    webhook = created("/v1/webhooks", {"url": "https://example.org/"})
    memory = created(f"/v1/personas/{PERSONA}/memory", FACT)
    corpus = created("/v1/corpora", {"name": "notes"})
    site = created(f"/v1/corpora/{corpus['id']}/sites", {"url": "https://example.org/"})
    campaign = created("/v1/campaigns", builders.CAMPAIGN)
    wanted = {"campaign": campaign["id"], "condition": "ended", "webhook": webhook["webhook"]["id"]}
    search = running.ask("POST", "/external/v1/search", headers, {"query": "Where do owls live?"})
    return {
        "webhook_id": [webhook["webhook"]["id"]],
        "alert_id": [created("/v1/alerts", wanted)["alert"]["id"]],
        "memory_id": [memory["memory"]["id"]],
        "corpus_id": [corpus["id"]],
        "site_id": [site["id"]],
        "corpora": [corpus["id"]],
        "follows": [search.json["id"]],
    }
