"""Around each view: its caller is identified and the request counted; its answer gets headers and a
line in the log."""

import time

from flask import Flask, Response, current_app, g, request

from app.core import actor, ids, log, metrics
from app.core.actor import Actor
from app.core.errors import AppError
from app.core.http import access, csrf, current_settings, request_parser
from app.core.ids import Noun
from app.core.redis.limits import Limiter
from app.web import health, request_log
from app.web.frame import rendering

logger = log.get("app.request")

NOTHING = "default-src 'none'; frame-ancestors 'none'"
"""What may be loaded by an answer that is no page, if a browser opens it as one."""
EXPOSED = (
    "ETag, PAYMENT-REQUIRED, RateLimit, RateLimit-Policy, Retry-After, X-Ignored-Parameters,"
    " X-Request-Id"
)


def prepare(app: Flask) -> None:
    """Give the application what happens around each view."""

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()
        request_id = ids.new()
        g.request_id = ids.public(Noun.REQUEST, request_id)
        actor.become(Actor(kind="anonymous", address=request.remote_addr, request_id=request_id))
        log.clear()
        log.bind(request_id=g.request_id)
        _admit()

    @app.after_request
    def end(response: Response) -> Response:
        response.headers["X-Request-Id"] = g.request_id
        response.headers["X-Content-Type-Options"] = "nosniff"
        settings = current_settings()
        if settings.hsts and settings.service_base_url.startswith("https://"):
            response.headers["Strict-Transport-Security"] = settings.hsts
        response.headers.update(g.get("limit_headers", {}))
        _share(response)
        if access.current_is_page():
            rendering.protect(response)
        response.headers.setdefault("Content-Security-Policy", NOTHING)
        seconds = time.perf_counter() - g.began
        metrics.count_answer(request.method, request.endpoint, response.status_code, seconds)
        request_log.note(response, seconds)
        logger.info(
            "request",
            method=request.method,
            path=request_log.path(),
            status=response.status_code,
            ms=round(seconds * 1000, 1),
        )
        return response


def _admit() -> None:
    """Find the caller and count the request; who is refused is counted too, by address."""
    doors: access.Doors = current_app.extensions["doors"]
    limiter: Limiter = current_app.extensions["limiter"]
    try:
        if request.endpoint not in health.OF_ANY_NAME:
            current_app.extensions["hosts"].check(request)
        doors.check()
    except AppError as refused:
        _limit(limiter)  # too many guesses are 429, not 401
        raise refused
    _limit(limiter)
    request_parser.check_path(of_page=access.current_is_page())
    if access.current_is_page():
        settings = current_settings()
        caller = access.caller_or_none()
        csrf.check(request, settings.secret_keys, caller.credential_id if caller else None)
        request_parser.check_page()


def _limit(limiter: Limiter) -> None:
    """Count the request for its credential, or for its address without one."""
    if request.endpoint is None or request.endpoint in health.UNLIMITED:
        return
    if "caller" in g:
        policy = _policy(g.caller)
        key = str(g.caller.credential_id)
    else:
        policy, key = "anonymous", request.remote_addr or ""
    g.limit_headers = limiter.check(policy, key)


def _policy(caller: access.Caller) -> str:
    if caller.node_id is not None:
        return "node"
    return "read" if request.method in ("GET", "HEAD") else "write"


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
