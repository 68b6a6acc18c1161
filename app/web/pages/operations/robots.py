"""Files that programs look for at fixed addresses: robots.txt, security.txt."""

from datetime import UTC, datetime, timedelta
from typing import Final

from flask import Blueprint, Response, render_template

from app.core.errors import NotFound
from app.core.http import current_settings
from app.core.http.access import public_page
from app.web.frame.operations import call
from app.web.frame.public_pages import address, cacheable

bp = Blueprint("robot_pages", __name__)

PUBLIC: Final = ("/$", "/docs", "/offers", "/providers/", "/samples/", "/static/", "/sitemap.xml")
SECURITY_DAYS: Final = 180
HIDDEN: Final = ("/offers/compare", "/offers.csv", "/offers.json")


@bp.get("/robots.txt")
@public_page
def robots() -> Response:
    lines = [f"Allow: {path}" for path in PUBLIC] + [f"Disallow: {path}" for path in HIDDEN]
    text = "\n".join(
        ["User-agent: *", *lines, "Disallow: /", "", f"Sitemap: {address('/sitemap.xml')}", ""]
    )
    return cacheable(Response(text, mimetype="text/plain"), text)


@bp.get("/sitemap.xml")
@public_page
def sitemap() -> Response:
    """The first page, and the offers of every model."""
    models = [model["id"] for model in call("listModels")["data"]]
    addresses = [address("/"), address("/offers/models")]
    addresses += [address("/offers", model=model) for model in models]
    text = render_template("sitemap.xml", addresses=addresses)
    return cacheable(Response(text, mimetype="application/xml"), addresses)


@bp.get("/.well-known/security.txt")
@public_page
def security() -> Response:
    """The contact for vulnerabilities (RFC 9116); 404 where the operator names none."""
    settings = current_settings()
    contacts = [each.strip() for each in settings.security_contact.split(",") if each.strip()]
    if not contacts:
        raise NotFound
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = today + timedelta(days=SECURITY_DAYS)
    lines = [f"Contact: {contact}" for contact in contacts]
    lines += [f"Expires: {ends:%Y-%m-%dT%H:%M:%SZ}", "Preferred-Languages: en"]
    lines.append(f"Canonical: {address('/.well-known/security.txt')}")
    if settings.security_policy_url:
        lines.append(f"Policy: {settings.security_policy_url}")
    text = "\n".join([*lines, ""])
    return cacheable(Response(text, content_type="text/plain; charset=utf-8"), text)
