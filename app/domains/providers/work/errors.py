"""Refusals of a node's claim, answer or question."""

from app.core.errors import AppError, Conflict, NotFound


class WorkNotFound(NotFound):
    """This node never had work with this id."""

    code = "work_not_found"


class LeaseLost(Conflict):
    """This work is not yours any more: its lease ended, it was withdrawn, or the fence is wrong."""

    code = "lease_lost"


class ResultConflict(Conflict):
    """Another result was sent for this work before; the first one stands."""

    code = "result_conflict"


class WorkDeclined(AppError):
    """The node that this work was meant for declined it."""

    code, status = "work_declined", 503
