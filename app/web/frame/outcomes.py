"""Outcomes of pages in words: why one could not be read, and what can be done about it."""

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit


class Explanation(NamedTuple):
    """`words` says what happened, `remedy` what to do; the latter is empty where nothing helps."""

    words: str
    remedy: str = ""


WELL: Final = {
    "read": Explanation("Read"),
    "unchanged": Explanation("Unchanged"),
    "duplicate": Explanation("Same text as another page"),
    "redirected": Explanation("Leads to another page"),
    "canonical": Explanation("Names another page as the original"),
}
_TEMPORARY: Final = "Try again later."
_ALLOW: Final = "The operator can allow it with {setting}={host}."
_LINK: Final = "Correct the address."
FAILED: Final = {
    "address_not_allowed": Explanation("Private address not allowed", _ALLOW),
    "host_not_allowed": Explanation("Host not allowed", _ALLOW),
    "port_not_allowed": Explanation("Port not allowed", _ALLOW),
    "invalid_url": Explanation("Address not valid", _LINK),
    "scheme_not_allowed": Explanation("Not an http or https address", _LINK),
    "credentials_not_allowed": Explanation("Password in the address", "Remove it."),
    "robots_disallowed": Explanation(
        "Forbidden by the robots.txt of the site",
        "Ask the owner of the site to allow Citegrid there, or select other pages.",
    ),
    "robots_unreachable": Explanation("The robots.txt of the site does not answer", _TEMPORARY),
    "redirect_downgrade": Explanation(
        "Leads from https to http", "Use the address that it leads to."
    ),
    "too_many_redirects": Explanation(
        "Too many redirects", "Use the address that a browser shows at the end."
    ),
    "bad_response": Explanation("The server sent no valid HTTP", _TEMPORARY),
    "response_too_large": Explanation("Page too large", "Select smaller pages."),
    "unsupported_encoding": Explanation("Unknown compression of the page"),
    "unsupported_media_type": Explanation(
        "Not a format that can be read", "Select HTML, text, Markdown, CSV, PDF, DOCX or EPUB."
    ),
    "tls_failed": Explanation("No valid certificate", "Ask the owner of the site to renew it."),
    "dns_failed": Explanation("Host not found", "Check the spelling, or try again later."),
    "connect_failed": Explanation("The host does not accept connections", _TEMPORARY),
    "timeout": Explanation("No answer in time", _TEMPORARY),
    "empty": Explanation("No text in it"),
    "not_text": Explanation("Not a text"),
    "damaged": Explanation("Broken file"),
    "encrypted": Explanation("File with a password", "Remove the password."),
    "scanned": Explanation("Pages are pictures", "Use a version with text."),
    "too_large": Explanation("Text too large", "Split it, or select smaller pages."),
    "too_many_pages": Explanation("Too many pages in the file", "Split the file."),
    "too_costly": Explanation("Reading takes too long", "Use a simpler page or format."),
    "unreadable": Explanation("Could not be read"),
    "soft_404": Explanation("Page not found, says its text", _LINK),
    "blocked": Explanation(
        "A sign-in, consent or error page came instead",
        "Select pages that anybody can read without signing in.",
    ),
    "needs_rendering": Explanation(
        "Needs JavaScript", "The operator can allow it with RENDER_BROWSER=/usr/bin/chromium."
    ),
    "render_failed": Explanation("Its scripts failed in the browser", _TEMPORARY),
    "worker_lost": Explanation("Workers ended while reading it", "Leave this page out."),
    "cancelled": Explanation("Reading was cancelled", "Add it again."),
    "deadline_exceeded": Explanation("The server was too busy", "Add it again."),
    "noindex": Explanation("The page asks not to be indexed"),
    "quota_exceeded": Explanation(
        "Your account holds as much as it may", "Delete some documents first."
    ),
    "nothing_listed": Explanation(
        "No page is listed there", "Check that it is the address of a sitemap or a feed."
    ),
}
_STATUSES: Final = {
    "401": Explanation("Needs a password", "Select pages that anybody can read."),
    "403": Explanation(
        "Access refused by the site", "Ask the owner of the site to allow Citegrid."
    ),
    "404": Explanation("Page not found", _LINK),
    "410": Explanation("Page removed", "Leave this page out."),
    "429": Explanation("The site wants fewer requests", _TEMPORARY),
}
_STATUS: Final = re.compile(r"http_([1-5][0-9]{2})")


def of_page(name: str, url: str = "", setting: str = "EXTRACT_FETCH_ALLOW") -> Explanation:
    """An outcome in words; `setting` is the list of the configuration that allows private hosts."""
    known = WELL.get(name) or FAILED.get(name) or _of_status(name)
    if known is None:
        return Explanation(name.replace("_", " ").capitalize())
    return Explanation(known.words, known.remedy.format(setting=setting, host=_host(url)))


def _of_status(name: str) -> Explanation | None:
    """Of a status of HTTP, as in `http_503`."""
    match = _STATUS.fullmatch(name)
    if match is None:
        return None
    stated, remedy = _STATUSES.get(match[1]), _TEMPORARY if match[1] >= "500" else ""
    return stated or Explanation(f"The server answered with HTTP {match[1]}", remedy)


def _host(url: str) -> str:
    """`host:port` as in lists of allowed hosts, or a host to fill in."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or "host:port"
    except ValueError:
        return "host:port"
