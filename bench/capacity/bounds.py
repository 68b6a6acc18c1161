"""What bounds each table, as retention knows it: `python -m bench.capacity.bounds PAGE`."""

import sys
from pathlib import Path

from app.core.config.settings import Settings
from bench.capacity import report
from workers.housekeeping import retention
from workers.housekeeping.retention import Expires, Kept, Rule

MARK = "bounds"


def main() -> None:
    report.replace(Path(sys.argv[1]), MARK, table())


def table() -> str:
    """Of all tables by name."""
    rules = retention.rules(Settings(database_url="", redis_url="", secret_key="x" * 32))
    rows = [(f"`{name}`", bound(rule)) for name, rule in sorted(rules.items())]
    return report.table(("table", "rows go, or why they stay"), rows)


def bound(rule: Rule) -> str:
    if isinstance(rule, Expires):
        return rule.when
    if isinstance(rule, Kept):
        return f"stay: {rule.why}"
    by = "" if rule.by == "on delete cascade" else f": {rule.by}"
    return f"with {rule.owner}{by}"


if __name__ == "__main__":
    main()
