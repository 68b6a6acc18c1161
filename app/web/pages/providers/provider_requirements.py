"""The requirements for consumers to find a provider and to choose it, and what of that is
missing.
"""

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Requirement:
    """`advice` says what to do while it is not met; `needed` ones hide the provider till then."""

    text: str
    met: bool
    needed: bool
    advice: str


_NO_PROFILE: Final[dict[str, Any]] = {
    "published": False,
    "description": "",
    "website": None,
    "avatar_url": None,
}


def requirements(
    profile: dict[str, Any] | None, offers: list[dict[str, Any]], requests: int
) -> list[Requirement]:
    """`offers` as their owner sees them, `requests` of the last 30 days."""
    facts = profile or _NO_PROFILE
    published = [offer for offer in offers if offer["published"]]
    return [
        Requirement("Your profile is published", facts["published"], True, "Publish it."),
        Requirement(
            "An offer is published",
            bool(published),
            True,
            "Publish one; a node that serves a model makes it.",
        ),
        Requirement(
            "A computer of it is online",
            any(offer["availability"] != "offline" for offer in published),
            True,
            "Start the node: offers of silent computers are shown as offline.",
        ),
        Requirement(
            "Every published model revision is known to the operator",
            bool(published) and not any(offer["needs_review"] for offer in published),
            False,
            "Ask the operator to enable the revision; until then it is shown as not checked.",
        ),
        Requirement(
            "You describe yourself",
            bool(facts["description"]),
            False,
            "Say in a sentence whose computers these are, and what becomes of prompts.",
        ),
        Requirement(
            "There is a way to reach you", bool(facts["website"]), False, "Name a website."
        ),
        Requirement("There is a picture", bool(facts["avatar_url"]), False, "Upload one."),
        Requirement(
            "You have been measured",
            requests >= 20,
            False,
            f"{requests} of 20 requests in 30 days; until then figures are shown as a dash.",
        ),
    ]
