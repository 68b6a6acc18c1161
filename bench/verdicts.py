"""The verdicts of readers of blind sheets, by version.

    python -m bench.verdicts FOLDER

The folder has MANUAL.key.json of each sheet, as `bench.real_corpus --blind` writes it, and of each
reader MANUAL.READER.json: {"1": {"A": "right", "B": "partly", "better": "A"}, ...}, where `better`
is A, B or equal.
The last four questions of a sheet are about what its manual does not cover.
"""

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

VERDICTS: Final = ("right", "partly", "wrong", "refused")  # of two readers' the later one counts
VERSIONS: Final = ("old", "new")
ABSENT: Final = 4


@dataclass
class VerdictCount:
    """Verdicts by version, over one sheet or several."""

    answerable: dict[str, Counter[str]] = field(
        default_factory=lambda: {version: Counter() for version in VERSIONS}
    )
    absent: dict[str, Counter[str]] = field(
        default_factory=lambda: {version: Counter() for version in VERSIONS}
    )
    preferred: Counter[str] = field(default_factory=Counter)
    agreed: Counter[bool] = field(default_factory=Counter)

    def add(self, key: dict[str, dict[str, str]], readers: list[dict[str, Any]]) -> None:
        """Count one sheet. Raises KeyError if a reader left a question out."""
        for n, sides in key.items():
            counted = self.absent if int(n) > len(key) - ABSENT else self.answerable
            for side, version in sides.items():
                verdicts = [reader[n][side] for reader in readers]
                self.agreed[len(set(verdicts)) == 1] += 1
                counted[version][max(verdicts, key=VERDICTS.index)] += 1
            self.preferred.update(sides.get(reader[n]["better"], "equal") for reader in readers)

    def line(self, name: str, version: str) -> str:
        """A row of a table of Markdown."""
        counts = " | ".join(str(self.answerable[version][verdict]) for verdict in VERDICTS)
        absent = self.absent[version]
        return f"| {name} | {version} | {counts} | {absent['refused']} of {absent.total()} |"


def main(folder: Path) -> None:
    """Print a table of all sheets in a folder that readers have judged."""
    together = VerdictCount()
    print("| manual | version | " + " | ".join(VERDICTS) + " | absent refused |")
    print("|" + "---|" * (len(VERDICTS) + 3))
    for path in sorted(folder.glob("*.key.json")):
        manual = path.name.removesuffix(".key.json")
        readers = [
            json.loads(each.read_text())
            for each in sorted(folder.glob(f"{manual}.*.json"))
            if each != path
        ]
        if readers:
            alone = VerdictCount()
            for tally in (alone, together):
                tally.add(json.loads(path.read_text()), readers)
            print("\n".join(alone.line(manual, version) for version in VERSIONS))
    print("\n".join(together.line("together", version) for version in VERSIONS))
    print(f"\nPreferred: {dict(together.preferred)}.")
    print(f"Readers agree in {together.agreed[True]} of {together.agreed.total()} verdicts.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
