"""Known weaknesses of every locked package: `make audit`. Fails when there is one.

Where no advisories can be had (a mirror without them, no network) that is said, and is no failure:
nothing was found, because nothing was looked at.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
UNREACHABLE = "requests.exceptions."


def main() -> None:
    """`python -m tests.supply.audit PIP_AUDIT`: the program, from an environment of its own."""
    packages = looked_up(sys.argv[1], sorted(ROOT.glob("requirements/*.lock")))
    lines, unknown = list(weaknesses(packages)), [x for x in packages if "skip_reason" in x]
    print(f"{len(packages) - len(unknown)} of {len(packages)} packages were looked at.", *lines)  # noqa: T201
    if unknown:
        print(f"NOT CHECKED: {len(unknown)} packages, for which no advisories can be had here.")  # noqa: T201
    sys.exit(f"{len(lines)} known weaknesses" if lines else 0)


def looked_up(program: str, locks: Sequence[Path]) -> list[dict[str, Any]]:
    """What is known of each package of the lock files."""
    command = [program, "--disable-pip", "--require-hashes", "--format", "json", "--timeout", "5"]
    command += ["--progress-spinner", "off", *(part for x in locks for part in ("-r", str(x)))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if not ended.stdout and UNREACHABLE in ended.stderr:
        print("NOT CHECKED: whoever knows of weaknesses cannot be reached from here.")  # noqa: T201
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
