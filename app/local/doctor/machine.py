"""The findings of `doctor` on this machine: its sandbox, and the scripts of pages."""

from app.core.config.settings import Settings
from app.engine.sandbox import unconfined
from app.local.doctor.findings import Finding
from app.web.frame import vendor

SANDBOX = (
    "See docs/explanation/security.md, Reading. Set CONFINEMENT_REQUIRED=true to block reading."
)


def examine_sandbox(settings: Settings) -> Finding:
    """As a worker of this machine would start it."""
    missing = unconfined.missing()
    if not missing:
        return Finding("ok", "Sandbox: all isolation layers are active")
    verdict = "fail" if settings.confinement_required else "warn"
    what = f"Sandbox: untrusted documents are read without {', '.join(missing)}"
    return Finding(verdict, what, SANDBOX)


def examine_scripts() -> Finding:
    """Pages work without them, less comfortably."""
    if vendor.addresses():
        return Finding("ok", "Scripts for the dashboard are installed")
    return Finding("warn", "The dashboard has no scripts, so pages do not refresh", "make assets")
