"""The findings of `doctor` on the process that reads documents of strangers."""

from app.core.config.settings import Settings
from app.engine.sandbox import unconfined
from app.local.doctor.findings import Finding

HINT = "docs/explanation/security.md, Reading; CONFINEMENT_REQUIRED=true refuses to read then"


def examine(settings: Settings) -> Finding:
    """As a worker of this machine would start it."""
    missing = unconfined.missing()
    if not missing:
        return Finding("ok", "Documents of strangers are read behind every wall")
    verdict = "fail" if settings.confinement_required else "warn"
    what = f"Documents of strangers are read without: {', '.join(missing)}"
    return Finding(verdict, what, HINT)
