"""Every operation that changes something is recorded in the audit log, or says why not."""

from pathlib import Path

import pytest
from flask import Flask

from app import domains
from app.web.frame.operations import operation_of

RECORDED = {
    "createAccount": "account.created",
    "createToken": "session.started",
    "deleteTokens": "sessions.ended",
    "deleteCurrentToken": "session.ended",
    "changePassword": "password.changed",
    "createApiKey": "key.created",
    "updateApiKey": "key.changed",
    "deleteApiKey": "key.revoked",
    "rollApiKey": "key.rotated",
    "createAlert": "alert.created",
    "deleteAlert": "alert.deleted",
    "createWebhook": "webhook.created",
    "updateWebhook": "webhook.changed",
    "deleteWebhook": "webhook.deleted",
    "rollWebhookSecret": "webhook.secret_rolled",
    "createNode": "node.registered",
    "updateNode": "node.changed",
    "deleteNode": "node.revoked",
    "rollNodeToken": "node.token_rolled",
    "createCampaign": "campaign.created",
    "fundCampaign": "campaign.funded",
    "pauseCampaign": "campaign.paused",
    "resumeCampaign": "campaign.resumed",
    "cancelCampaign": "campaign.cancelled",
    "requestPayout": "payout.requested",
    "updateOwnProviderOffer": "offer.published",
    "saveOwnProviderProfile": "profile.saved",
    "deleteMemory": "memory.deleted",
    "deletePersona": "persona.deleted",
    "createCorpus": "corpus.created",
    "updateCorpus": "corpus.renamed",
    "deleteCorpus": "corpus.deleted",
    "createSite": "site.added",
    "deleteSite": "site.deleted",
    "pauseQueue": "queue.paused",
    "resumeQueue": "queue.resumed",
    "drainWorker": "worker.drained",
    "forgetWorker": "worker.forgotten",
    "retryTask": "job.retried",
    "cancelTask": "job.cancelled",
    "createBulkAction": "jobs.retried",
}

_WORK = "ordinary work: its own row says who requested it and when"
_NODE = "a node at its work, many times a minute: the turns say which node"
_DOCUMENT = "an account may send thousands an hour; their corpus is recorded"
_SENT = "sends again what was sent; each delivery is a row of its own"
NOT_RECORDED = {
    "refreshToken": "goes on with a sign-in that was recorded",
    "createSearch": _WORK,
    "cancelSearch": _WORK,
    "createPaidSearch": "of a wallet, not of an account; payments are a table",
    "buyCredit": "payments and the ledger say it",
    "createJob": _WORK,
    "deleteJob": _WORK,
    "cancelJob": _WORK,
    "pauseJob": _WORK,
    "resumeJob": _WORK,
    "rerunJob": _WORK,
    "verifyQuote": _WORK,
    "createChatCompletion": _WORK,
    "createMemory": "a memory has its own history of versions",
    "updateMemory": "a memory has its own history of versions",
    "disputeRecord": "a dispute is a row that says who opened it and when",
    "appealRecord": "a dispute is a row that says who opened it and when",
    "putDocument": _DOCUMENT,
    "refreshSite": _DOCUMENT,
    "updateDocument": _DOCUMENT,
    "putDocuments": _DOCUMENT,
    "deleteDocument": _DOCUMENT,
    "judgeCampaignRecord": "the record says what its owner judged",
    "setOwnProviderAvatar": "a picture: who may see it is in the profile, which is recorded",
    "sendNodeHeartbeat": _NODE,
    "claimWork": _NODE,
    "pushWorkChunks": _NODE,
    "declineWork": _NODE,
    "extendWork": _NODE,
    "submitWorkResult": _NODE,
    "testWebhook": _SENT,
    "redeliverWebhook": _SENT,
    "redeliverWebhookDelivery": _SENT,
    "exportAccount": "recorded by the domain of personal data",
    "deleteAccount": "recorded by the domain of personal data",
}


@pytest.fixture
def changing(app: Flask) -> set[str]:
    return {
        name
        for rule in app.url_map.iter_rules()
        if (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}
        and (name := operation_of(app.view_functions[rule.endpoint])) is not None
    }


def test_every_operation_that_changes_something_is_recorded_or_says_why_not(
    changing: set[str],
) -> None:
    assert changing == set(RECORDED) | set(NOT_RECORDED)


def test_every_action_is_recorded_somewhere() -> None:
    code = "".join(file.read_text() for file in Path(domains.__path__[0]).rglob("*.py"))
    assert [action for action in RECORDED.values() if f'"{action}"' not in code] == []


def test_none_is_both() -> None:
    assert set(RECORDED) & set(NOT_RECORDED) == set()
