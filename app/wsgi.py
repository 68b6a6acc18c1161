"""The API process. create_app() is its table of contents."""

import psycopg
from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from app import wiring
from app.core import db, log, tracing
from app.core.config.settings import Settings
from app.core.db import refusals, roles, schema
from app.core.http import Api, access, idempotency
from app.core.http.exports.slots import Slots
from app.core.http.hosts import Hosts
from app.core.http.long_poll import LongPolls, RequestSlots, Shares
from app.core.http.proxies import UncountedProxies
from app.core.redis import events, limits
from app.core.redis.limits import Limiter
from app.core.redis.refused_rights import RefusedRights
from app.core.tracing.requests import trace_requests
from app.domains.account.accounts.routes import accounts, api_keys, tokens
from app.domains.account.accounts.sign_in import login
from app.domains.account.accounts.sign_in.authentication import Authenticator
from app.domains.account.audit.routes import audit_events
from app.domains.campaigns.campaigns.disputes.routes import disputes
from app.domains.campaigns.campaigns.routes import campaigns
from app.domains.campaigns.reviews.routes import reputation
from app.domains.campaigns.rewards.routes import payouts, rewards
from app.domains.library.documents.routes import corpora
from app.domains.library.sites.routes import sites
from app.domains.money.ledger.routes import credits
from app.domains.money.payments.checkout import Checkout
from app.domains.own_data.personal_data.routes import personal_data
from app.domains.own_data.requests.recorder import Recorder
from app.domains.own_data.requests.routes import requests
from app.domains.own_data.usage.routes import usage
from app.domains.providers.chats.relay.broker import ChatBroker
from app.domains.providers.chats.routes import chats
from app.domains.providers.nodes import authentication
from app.domains.providers.nodes.routes import nodes
from app.domains.providers.providers.routes import discovery, management
from app.domains.providers.work import wakeups
from app.domains.providers.work.assignment import Draw
from app.domains.providers.work.claims import ClaimBroker
from app.domains.providers.work.routes import work
from app.domains.queue.alerts.routes import alerts
from app.domains.queue.jobs.admission.admission import Backpressure
from app.domains.queue.jobs.operations.job_routes import job_operations
from app.domains.queue.jobs.operations.queues import connections
from app.domains.queue.jobs.operations.routes import queue_operations
from app.domains.queue.webhooks.routes import webhooks
from app.domains.records.page_jobs.result_routes import job_results
from app.domains.records.page_jobs.routes import page_jobs
from app.domains.search.memories.routes import memories, personas
from app.domains.search.searches.paid_routes import paid_searches
from app.domains.search.searches.routes import searches
from app.engine.sandbox import unconfined
from app.web import every_request, health, pages
from app.web.frame import assets, operations, rendering, vendor
from app.web.interface import docs

MAX_BODY_BYTES = 1 << 20

logger = log.get(__name__)


def serve() -> Flask:
    """Prepares each worker process, called by gunicorn: settings, logs, database, application."""
    settings = Settings.from_env()
    log.configure(settings.log_level)
    tracing.start(settings.tracing_url, "citegrid-api")
    unconfined.ConfinementPolicy.required = settings.confinement_required
    schema.require(settings.session_url)
    role = roles.api(settings.database_role)
    db.require_role(settings.session_url, role)
    db.open(
        settings.database_url,
        pooled=bool(settings.database_direct_url),
        role=role,
        size=settings.database_pool_size,
        wait_seconds=settings.database_pool_wait_seconds,
        statement_timeout_seconds=settings.web_statement_timeout_seconds,
    )
    _warn_of_connections(settings)
    return create_app(settings)


def _warn_of_connections(settings: Settings) -> None:
    """Say that this process's pool has no room in Postgres, before a request finds out."""
    try:
        with db.reading() as reader:
            shortage = connections.budget(reader).shortage(settings.database_pool_size)
    except psycopg.OperationalError:
        return
    if shortage is not None:
        logger.warning("too few connections", problem=shortage)


def create_app(settings: Settings) -> Flask:
    """The application; the caller opens the database."""
    wiring.connect()
    app = Flask("app", static_folder=None, template_folder="web/templates")
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.url_map.merge_slashes = False  # an address has one spelling; others are 404
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BODY_BYTES,
        API_TITLE="Citegrid",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
    )
    equip(app, settings)
    every_request.prepare(app)
    trace_requests(app)

    api = Api(app)
    blueprints = (
        accounts,
        tokens,
        api_keys,
        personal_data,
        searches,
        paid_searches,
        personas,
        memories,
        corpora,
        sites,
        webhooks,
        alerts,
        credits,
        discovery,
        management,
        rewards,
        payouts,
        reputation,
        nodes,
        work,
        chats,
        campaigns,
        disputes,
        requests,
        audit_events,
        usage,
        queue_operations,
        job_operations,
    )
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    for blueprint in (page_jobs, job_results):
        prefix = f"/v1/{settings.extraction_product_segment}"
        api.register_blueprint(blueprint, url_prefix=prefix)
    for page in (health.bp, docs.bp, assets.bp, vendor.bp):
        app.register_blueprint(page)
    docs.publish(app, api)
    operations.publish(app)
    rendering.prepare(app)
    pages.register(app, api)
    return app


def equip(app: Flask, settings: Settings) -> None:
    """Give the application what holds state or connections; the rest of it is alike for all."""
    redis = limits.connect(settings.redis_url)
    wakeups.connect_notifier(settings.redis_url)
    refusals.tell(RefusedRights(redis).add)
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops)  # type: ignore[method-assign]
    else:
        app.wsgi_app = UncountedProxies(app.wsgi_app, redis)  # type: ignore[method-assign]

    of_accounts = Authenticator(settings)
    app.extensions.update(
        login.extensions(settings, redis),
        settings=settings,
        publisher=events.Publisher(events.connect(settings.redis_url)),
        redis=redis,
        limiter=Limiter(settings, redis),
        hosts=Hosts(settings),
        backpressure=Backpressure(settings.queue_limit, settings.account_queue_limit),
        waiting=LongPolls(
            events.Listener(events.connect(settings.redis_url)),
            Shares(
                process=settings.waiting_requests,
                account=settings.waiting_requests_per_account,
                address=settings.waiting_requests_per_address,
            ),
        ),
        exports=Slots(settings.export_slots),
        checkout=Checkout(settings),
        claim_broker=ClaimBroker(Draw.of(settings), settings),
        idempotency_cipher=idempotency.cipher(settings),
        chats=ChatBroker(settings, redis),
        chat_slots=RequestSlots(_chat_shares(settings)),
        request_recorder=Recorder() if settings.requests_kept_days else None,
        doors=access.Doors(
            api=of_accounts,
            nodes=authentication.Authenticator(settings, of_accounts),
            session=of_accounts.session,
        ),
    )


def _chat_shares(settings: Settings) -> Shares:
    """One account gets no more than half of them."""
    most = settings.chat_slots
    return Shares(process=most, account=max(1, most // 2), address=most)
