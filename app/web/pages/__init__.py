"""The dashboard: a module per group of pages, each a client of the API inside the process."""

from flask import Flask

from app.core.http import Api
from app.web.frame import error_pages
from app.web.pages.account import accounts, api_keys, audit_log, bill, credit, memory, requests
from app.web.pages.campaigns import campaign_records, campaigns, rewards
from app.web.pages.operations import (
    alert_links,
    alerts,
    api_docs,
    connect,
    operations,
    reviewers,
    robots,
    styleguide,
    webhooks,
)
from app.web.pages.providers import nodes, offer_chats, offers, own_provider, providers
from app.web.pages.records import extractions, job_actions, monitors, sample_shop, workflows
from app.web.pages.search import answers, corpora, documents, find, searches, shared_answers

blueprints = (
    accounts.bp,
    alert_links.bp,
    alerts.bp,
    answers.bp,
    api_docs.bp,
    api_keys.bp,
    audit_log.bp,
    bill.bp,
    campaign_records.bp,
    campaigns.bp,
    connect.bp,
    corpora.bp,
    credit.bp,
    documents.bp,
    extractions.bp,
    find.bp,
    job_actions.bp,
    memory.bp,
    monitors.bp,
    nodes.bp,
    offer_chats.bp,
    offers.bp,
    operations.bp,
    own_provider.bp,
    providers.bp,
    requests.bp,
    reviewers.bp,
    rewards.bp,
    robots.bp,
    sample_shop.bp,
    searches.bp,
    shared_answers.bp,
    styleguide.bp,
    webhooks.bp,
    workflows.bp,
)
for blueprint in blueprints:
    error_pages.handle(blueprint)


def register(app: Flask, api: Api) -> None:
    for blueprint in blueprints:
        app.register_blueprint(blueprint)
    error_pages.handle_unrouted(app, api)
