"""The findings of `doctor` on the scripts of pages."""

from app.local.doctor.findings import Finding
from app.web.frame import vendor


def examine() -> Finding:
    """Pages work without them, less comfortably."""
    if vendor.addresses():
        return Finding("ok", "Scripts for the dashboard are installed")
    return Finding("warn", "The dashboard has no scripts, so pages do not refresh", "make assets")
