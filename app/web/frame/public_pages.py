"""Pages for everybody: kept by caches while nobody is signed in, and found by search engines."""

import hashlib
from typing import Any, Final
from urllib.parse import urlencode

import orjson
from flask import Response, request

from app.core.http import current_settings
from app.web.frame.assets import asset
from app.web.frame.rendering import signed_in

SECONDS: Final = 60


def cacheable(page: Response, *facts: Any) -> Response:
    """Any cache may keep what a stranger sees; `facts` are all that the page was made from.

    Its footer names the request that made it, which is why its own bytes are no measure.
    """
    page.vary.add("Cookie")
    if signed_in():
        return page
    made_from = [request.full_path, asset("app.css"), facts]
    text = orjson.dumps(made_from, default=str, option=orjson.OPT_NON_STR_KEYS)
    page.headers["Cache-Control"] = f"public, max-age={SECONDS}"
    page.set_etag(hashlib.blake2b(text, digest_size=16).hexdigest(), weak=True)
    page.make_conditional(request)
    return page


def address(path: str, **query: str) -> str:
    """A path of this site as everybody reaches it, in one spelling."""
    settings = current_settings()
    parameters = f"?{urlencode(query, safe='/')}" if query else ""
    return settings.service_base_url.rstrip("/") + path + parameters
