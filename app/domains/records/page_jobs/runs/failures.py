"""Why a run failed as a whole; what is wrong with single pages are their outcomes."""

from app.core.errors import AppError


class SourceUnreadable(AppError):
    """Not one page of the source could be read; the job's pages say why."""

    code, status = "source_unreadable", 502
