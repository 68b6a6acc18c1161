"""Stages of a document's reading and deletion at which a process of the product may die."""

from typing import Any

from app.domains.library.documents import store
from app.domains.library.passages import service as passages

STAGES: dict[str, tuple[Any, str]] = {
    "taking up": (store, "unread"),
    "finishing": (store, "lock_unread"),
    "replacing": (passages, "replace"),
    "being ready": (store, "ready"),
    "deleting": (store, "delete"),
}
READING = ("taking up", "finishing", "replacing", "being ready", "being ready done")
DELETING = ("deleting", "deleting done")
