"""Reasons for which a whole run fails; single pages have outcomes instead."""

from app.core.errors import AppError


class SourceUnreadable(AppError):
    """No page of the source could be read. The list of pages shows the reasons."""

    code, status = "source_unreadable", 502
