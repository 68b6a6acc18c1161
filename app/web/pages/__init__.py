"""The dashboard: a module per group of pages, each a client of the API inside the process."""

from flask import Flask

from app.core.http import Api
from app.web import error_pages, sample_shop
from app.web.pages import (
    accounts,
    answers,
    api_keys,
    audit_log,
    campaign_records,
    campaigns,
    connect,
    corpora,
    extractions,
    job_actions,
    memory,
    monitors,
    nodes,
    offers,
    operations,
    own_provider,
    providers,
    requests,
    rewards,
    robots,
    searches,
    usage,
    wallet,
    webhooks,
    workflows,
)

blueprints = (
    accounts.bp,
    answers.bp,
    api_keys.bp,
    audit_log.bp,
    campaign_records.bp,
    campaigns.bp,
    connect.bp,
    corpora.bp,
    extractions.bp,
    job_actions.bp,
    memory.bp,
    monitors.bp,
    nodes.bp,
    offers.bp,
    operations.bp,
    own_provider.bp,
    providers.bp,
    requests.bp,
    rewards.bp,
    robots.bp,
    sample_shop.bp,
    searches.bp,
    usage.bp,
    wallet.bp,
    webhooks.bp,
    workflows.bp,
)
for blueprint in blueprints:
    error_pages.handle(blueprint)


def register(app: Flask, api: Api) -> None:
    """Serve the pages, and errors as pages."""
    for blueprint in blueprints:
        app.register_blueprint(blueprint)
    error_pages.handle_unrouted(app, api)
