"""The API process. create_app() is its table of contents."""

import time

from flask import Flask, Response, current_app, g, request
from werkzeug.middleware.proxy_fix import ProxyFix

from app.core import db, events, ids, limits, log, metrics
from app.core.config import Settings
from app.core.errors import AppError
from app.core.http import Api, access, idempotency
from app.core.http.hosts import Hosts
from app.core.http.proxies import UncountedProxies
from app.core.http.waiting import Shares, Waiting
from app.core.limits import Limiter
from app.domains.accounts import service as accounts
from app.domains.accounts.routes import blueprints as account_blueprints
from app.domains.extractions.exporting import Slots
from app.domains.extractions.result_routes import bp as extraction_results
from app.domains.extractions.routes import bp as extractions
from app.domains.jobs import service as jobs
from app.domains.monitors import monitoring  # noqa: F401 (registers its type)
from app.domains.payments.till import Till
from app.domains.providers.routes import blueprints as provider_blueprints
from app.domains.searches.paid_routes import bp as paid_searches
from app.domains.searches.routes import bp as searches
from app.domains.webhooks.routes import bp as webhooks
from app.domains.workflows import job_type  # noqa: F401 (registers its type)
from app.web import docs, health

logger = log.get("app.request")

MAX_BODY_BYTES = 1 << 20
EXPOSED = "ETag, PAYMENT-REQUIRED, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"


def serve() -> Flask:
    """What gunicorn calls in each worker process: settings, logs, database, application."""
    settings = Settings.from_env()
    log.configure(settings.log_level)
    db.open(
        settings.database_url,
        size=settings.database_pool_size,
        wait_seconds=settings.database_pool_wait_seconds,
        statement_timeout_seconds=settings.web_statement_timeout_seconds,
    )
    return create_app(settings)


def create_app(settings: Settings) -> Flask:
    """The application; the caller opens the database."""
    app = Flask("app", static_folder="web/static", template_folder="web/templates")
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.url_map.merge_slashes = False  # an address has one spelling; others are 404
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BODY_BYTES,
        API_TITLE="Citegrid",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
    )
    redis = limits.connect(settings.redis_url)
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops)  # type: ignore[method-assign]
    else:
        app.wsgi_app = UncountedProxies(app.wsgi_app, redis)  # type: ignore[method-assign]

    app.extensions.update(
        settings=settings,
        publisher=events.Publisher(events.connect(settings.redis_url)),
        redis=redis,
        limiter=Limiter(settings, redis),
        hosts=Hosts(settings),
        backpressure=jobs.Backpressure(settings.queue_limit, settings.account_queue_limit),
        waiting=Waiting(events.Listener(events.connect(settings.redis_url)), _shares(settings)),
        exports=Slots(settings.export_slots),
        till=Till(settings),
        idempotency_cipher=idempotency.cipher(settings),
    )
    _every_request(app, accounts.Authenticator(settings))

    api = Api(app)
    blueprints = (
        *account_blueprints,
        searches,
        paid_searches,
        webhooks,
        *provider_blueprints,
    )
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    for blueprint in (extractions, extraction_results):
        prefix = f"/v1/{settings.extraction_product_segment}"
        api.register_blueprint(blueprint, url_prefix=prefix)
    for page in (health.bp, docs.bp):
        app.register_blueprint(page)
    docs.publish(app, api)
    return app


def _shares(settings: Settings) -> Shares:
    return Shares(
        process=settings.waiting_requests,
        account=settings.waiting_requests_per_account,
        address=settings.waiting_requests_per_address,
    )


def _every_request(app: Flask, authenticate: access.Authenticate) -> None:
    """Identify, limit, answer, account for: what happens around each view."""

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()
        g.request_id = ids.public("req", ids.new())
        log.clear()
        log.bind(request_id=g.request_id)
        _admit(authenticate, app.extensions["limiter"])

    @app.after_request
    def end(response: Response) -> Response:
        response.headers["X-Request-Id"] = g.request_id
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.update(g.get("limit_headers", {}))
        _share(response)
        seconds = time.perf_counter() - g.began
        metrics.answered(request.method, request.endpoint, response.status_code, seconds)
        logger.info(
            "request",
            method=request.method,
            path=request.path,
            status=response.status_code,
            ms=round(seconds * 1000, 1),
        )
        return response


def _admit(authenticate: access.Authenticate, limiter: Limiter) -> None:
    """Find the caller and count the request; who is refused is counted too, by address."""
    try:
        if request.endpoint not in health.OF_ANY_NAME:
            current_app.extensions["hosts"].check(request)
        access.check(authenticate)
    except AppError as refused:
        _limit(limiter)  # too many guesses are 429, not 401
        raise refused
    _limit(limiter)


def _limit(limiter: Limiter) -> None:
    """Count the request for its credential, or for its address without one."""
    if request.endpoint is None or request.endpoint in health.UNLIMITED:
        return
    if "caller" in g:
        policy = "read" if request.method in ("GET", "HEAD") else "write"
        key = str(g.caller.credential_id)
    else:
        policy, key = "anonymous", request.remote_addr or ""
    g.limit_headers = limiter.check(policy, key)


def _share(response: Response) -> None:
    """Public GETs are for any origin; what a caller gets is kept by nobody."""
    endpoint = request.endpoint
    open_to_all = (
        request.method in ("GET", "HEAD")
        and endpoint is not None
        and endpoint != health.LOCAL
        and access.is_public(endpoint)
    )
    if open_to_all:
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = EXPOSED
    if not open_to_all or endpoint in health.UNLIMITED:
        response.headers.setdefault("Cache-Control", "no-store")
