"""The findings of `doctor` on the scripts of pages."""

from app.local.doctor.findings import Finding
from app.web.frame import vendor


def examine() -> Finding:
    """Pages work without them, less comfortably."""
    if vendor.addresses():
        return Finding("ok", "Pages have their scripts")
    return Finding("warn", "Pages work, but without scripts: nothing refreshes", "make assets")
