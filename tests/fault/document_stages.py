"""Stages of a document's reading and deletion at which a process of the product may die."""

from typing import Any

from app.domains.library.documents import site_store, store
from app.domains.library.passages import service as passages
from app.domains.library.sites import pages
from app.domains.library.sites import service as sites

STAGES: dict[str, tuple[Any, str]] = {
    "taking up": (store, "unread"),
    "finishing": (store, "lock_unread"),
    "replacing": (passages, "replace"),
    "being ready": (store, "ready"),
    "deleting": (store, "delete"),
    "beginning a site": (sites, "begin_pass"),
    "keeping a page": (site_store, "keep"),
    "having visited": (pages, "take"),
    "ending a site": (sites, "finish"),
}
READING = ("taking up", "finishing", "replacing", "being ready", "being ready done")
DELETING = ("deleting", "deleting done")
# As many as the attempts of one job outlive.
PASSES = (
    ("beginning a site", "beginning a site done", "having visited"),
    ("keeping a page", "having visited done", "ending a site done"),
)
