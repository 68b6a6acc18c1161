"""The checklist of a provider: what consumers need to find and choose it."""

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
            "At least one offer is published",
            bool(published),
            True,
            "Publish one. A node creates an offer for each model it serves.",
        ),
        Requirement(
            "A computer with a published offer is online",
            any(offer["availability"] != "offline" for offer in published),
            True,
            "Start the node. Offers of disconnected computers appear offline.",
        ),
        Requirement(
            "The operator knows all published model revisions",
            bool(published) and not any(offer["needs_review"] for offer in published),
            False,
            "Ask the operator to enable the revision. Until then it appears as unknown.",
        ),
        Requirement(
            "Your profile has a description",
            bool(facts["description"]),
            False,
            "Say who owns the computers and how prompts are handled.",
        ),
        Requirement("Your profile has a website", bool(facts["website"]), False, "Add a website."),
        Requirement(
            "Your profile has a picture", bool(facts["avatar_url"]), False, "Upload a picture."
        ),
        Requirement(
            "Your offers have measurements",
            requests >= 20,
            False,
            f"{requests} of 20 requests in 30 days. Until then, measurements appear as a dash.",
        ),
    ]
