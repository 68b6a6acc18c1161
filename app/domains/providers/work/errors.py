"""Refusals of a node's claim, answer or question."""

from app.core.errors import AppError, Conflict, NotFound


class WorkNotFound(NotFound):
    """This node has no work with this id."""

    code = "work_not_found"


class LeaseLost(Conflict):
    """The node no longer holds this work: it was withdrawn, its lease expired, or the fence is
    wrong."""

    code = "lease_lost"


class ResultConflict(Conflict):
    """This work already has a different result."""

    code = "result_conflict"


class WorkDeclined(AppError):
    """The node declined this work."""

    code, status = "work_declined", 503
