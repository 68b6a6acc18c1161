"""The chips that show a state: one word, one kind of colour, one glyph. Colour is never alone."""

from functools import lru_cache
from typing import Final, NamedTuple

from markupsafe import Markup


class Chip(NamedTuple):
    """`kind` is a class of the stylesheet: idle, run, ok, warn, bad or hold."""

    word: str
    kind: str
    glyph: str


GLYPHS: Final = {"idle": "–", "run": "●", "ok": "✓", "warn": "!", "bad": "×", "hold": "‖"}

# The API's own words; what stands behind one is said by the page's text.
KINDS: Final = {
    "idle": """
        blocked cancelled declined disabled draft drained ended erased gone idle inactive
        no_answer none offline planned queued revoked same skipped stopped unknown unmeasured
        withdrawn
    """,
    "run": """
        active assigned candidate claimed closing collecting delivering dispatched draining new
        open pending processing requested reviewing running scheduled validating
        waiting_for_parts
    """,
    "ok": """
        accepted answered approved available closed completed confirmed connected delivered done
        enabled flowing matches ok paid published quote_found read ready released settled stored
        succeeded supported upheld
    """,
    "warn": """
        busy changed claimed_only degraded disputed growing insufficient_evidence lexical
        low_confidence moved needs_review not_checked not_found page_has_changed partial perhaps
        proposed retrying returned silent sources_disagree stale suspect truncated unconfirmed
        unresolved unsure
    """,
    "bad": """
        away conflict contradicted error failed invalid lost missing
        quote_not_found_in_stored_page refused rejected removed stuck suspended unavailable
        unsupported worker_lost
    """,
    "hold": """
        awaiting_funds exhausted expired frozen held on_hold paused probation reserved
        skipped_overlap waiting waiting_for_funds
    """,
}
_KIND_OF: Final = {word: kind for kind, words in KINDS.items() for word in words.split()}


@lru_cache(maxsize=1_000)
def drawn(state: str, text: str | None = None) -> Markup:
    """The chip as it stands in pages; lists have hundreds. `text` replaces the word."""
    word, kind, glyph = chip(state)
    pulse = Markup(' class="pulse"') if kind == "run" else ""
    return Markup('<span class="chip {}"><span aria-hidden="true"{}>{}</span> {}</span>').format(
        kind, pulse, glyph, text or word
    )


def chip(state: str) -> Chip:
    """Raises KeyError for a state that nobody decided on: the tests of pages meet them all."""
    kind = _KIND_OF[state]
    return Chip(state.replace("_", " ").capitalize(), kind, GLYPHS[kind])
