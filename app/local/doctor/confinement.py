"""The findings of `doctor` on the sandbox that reads untrusted documents."""

from app.core.config.settings import Settings
from app.engine.sandbox import unconfined
from app.local.doctor.findings import Finding

HINT = "See docs/explanation/security.md, Reading. Set CONFINEMENT_REQUIRED=true to block reading."


def examine(settings: Settings) -> Finding:
    """As a worker of this machine would start it."""
    missing = unconfined.missing()
    if not missing:
        return Finding("ok", "Sandbox: all isolation layers are active")
    verdict = "fail" if settings.confinement_required else "warn"
    what = f"Sandbox: untrusted documents are read without {', '.join(missing)}"
    return Finding(verdict, what, HINT)
