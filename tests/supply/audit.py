"""Known weaknesses of every locked package: `make audit`. Fails when there is one.

Where advisories cannot be had for every package (no network, a mirror without them) nothing is
known, which is neither: that has a status of its own, and 0 only in a run that accepts it.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
UNREACHABLE = "requests.exceptions."
WEAK, NOT_AUDITED = 1, 3
ACCEPTED = "--accept-not-audited"


def main() -> None:
    """`python -m tests.supply.audit PIP_AUDIT`: the program, from an environment of its own."""
    program, *options = sys.argv[1:]
    packages = looked_up(program, sorted(ROOT.glob("requirements/*.lock")))
    lines = list(weaknesses(packages))
    unknown = sum("skip_reason" in package for package in packages)
    print(f"{len(packages) - unknown} of {len(packages)} packages were looked at.", *lines)  # noqa: T201
    if lines:
        print(f"{len(lines)} known weaknesses")  # noqa: T201
        sys.exit(WEAK)
    if unknown or not packages:
        sys.exit(not_audited(unknown, accepted=ACCEPTED in options))


def not_audited(unknown: int, *, accepted: bool) -> int:
    """Says so; returns the status to end with."""
    missing = f"{unknown} packages" if unknown else "any package"
    print(f"NOT AUDITED: no advisories can be had here for {missing}.")  # noqa: T201
    if accepted:
        print(f"This run accepts that ({ACCEPTED}).")  # noqa: T201
    return 0 if accepted else NOT_AUDITED


def looked_up(program: str, locks: Sequence[Path]) -> list[dict[str, Any]]:
    """What is known of each package of the lock files."""
    command = [program, "--disable-pip", "--require-hashes", "--format", "json", "--timeout", "5"]
    command += ["--progress-spinner", "off", *(part for x in locks for part in ("-r", str(x)))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if not ended.stdout and UNREACHABLE in ended.stderr:
        return []
    if not ended.stdout:
        sys.exit(f"pip-audit failed: {ended.stderr.strip()[-500:]}")
    packages: list[dict[str, Any]] = json.loads(ended.stdout)["dependencies"]
    return packages


def weaknesses(packages: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each."""
    for package in packages:
        for weakness in package.get("vulns", ()):
            mended = ", ".join(weakness["fix_versions"]) or "no version yet"
            name = f"{package['name']} {package['version']}"
            yield f"\n  {name}: {weakness['id']}, mended in {mended}"


if __name__ == "__main__":
    main()
