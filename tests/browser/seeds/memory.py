"""What two personas remember."""

from typing import TYPE_CHECKING

from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("memory", "/memory"),
    Page("memory-none", "/memory", "newcomer"),
    Page("memory-persona", "/memory/me"),
    Page("memory-no-match", "/memory/me?type=event"),
    Page("memory-one", "/memory/me/{memory}"),
)


def plant(site: "Site") -> None:
    remember(site, "work", "fact", "Our service runs on Postgres 16 and Redis 7.", ["tools"])
    remember(site, "me", "instruction", "Name versions in every answer.", ["style"])
    remember(site, "me", "preference", "Avoid w3schools.com.", ["avoid:w3schools.com"])
    kept = remember(site, "me", "preference", "Prefer python.org.", ["site:python.org"])
    text = {"content": "Prefer docs.python.org over other sites about Python."}
    site.api("PATCH", f"/v1/personas/me/memory/{kept}", text)
    site.ids["memory"] = kept


def remember(site: "Site", persona: str, kind: str, text: str, tags: list[str]) -> str:
    body = {"type": kind, "content": text, "tags": tags, "source": "user_approved"}
    made = site.api("POST", f"/v1/personas/{persona}/memory", body)
    return str(made["memory"]["id"])
