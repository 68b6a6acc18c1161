"""Words of mails and of the events that alerts send."""

from typing import Final

from app.core.amounts import counted
from app.domains.queue.alerts.conditions import Condition

REQUEST_SUBJECT: Final = "Confirm alerts from Citegrid"
_MOST_TITLE: Final = 200

SUBJECTS: Final[dict[Condition, str]] = {
    "changed": "Citegrid alert: a monitored page has changed",
    "failing": "Citegrid alert: a monitor fails",
    "ended": "Citegrid alert: a campaign has ended",
    "budget_spent": "Citegrid alert: a campaign has spent much of its funds",
    "waiting": "Citegrid alert: many jobs wait",
    "oldest": "Citegrid alert: a job waits too long",
}


def request() -> str:
    """Nothing in it is chosen by whoever asks: it goes to people who may not know them."""
    return "An account of this Citegrid server wants to send alerts to this e-mail address."


def message(condition: Condition, threshold: float | None, value: float, title: str) -> str:
    """A sentence; `title` is the name of the thing."""
    name = " ".join(title.split())[:_MOST_TITLE]
    number = plain(value)
    limit = "" if threshold is None else plain(threshold)
    match condition:
        case "changed":
            more = f" by more than {limit} %" if limit else ""
            return f"Monitor {name}: {counted(value, 'page')} changed{more}."
        case "failing":
            return f"Monitor {name}: {counted(value, 'run')} in a row could not read a page."
        case "ended":
            return f"Campaign {name} has ended."
        case "budget_spent":
            return f"Campaign {name} has spent {number} % of its funds; the threshold is {limit} %."
        case "waiting":
            return f"Queue {name}: {counted(value, 'job')} waiting; the threshold is {limit}."
        case "oldest":
            return (
                f"Queue {name}: the oldest job has waited {number} seconds; the threshold is"
                f" {limit} seconds."
            )


def plain(number: float) -> str:
    """With two decimals at most."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def whole(body: str, link: str, stop_url: str, server: str, *, asks: bool) -> str:
    if asks:
        return (
            f"{body}\n\nTo receive them, open this page and confirm within 24 hours:\n{link}\n\n"
            "If you do not want them, ignore this message. To refuse alerts from every account of"
            f" this server:\n{stop_url}\n\n{server}\n"
        )
    return f"{body}\n\nDetails:\n{link}\n\nStop this alert:\n{stop_url}\n\n{server}\n"
