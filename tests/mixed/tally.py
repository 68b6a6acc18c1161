"""What a run came to, in numbers that must all be zero, and the first examples of what is not."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

SWEEP_SECONDS: Final = 3.0
_MOST_EXAMPLES: Final = 20


@dataclass
class Tally:
    """`lost`: accepted and not there, or ended otherwise than well. `doubled`: two effects of one
    request. `open`: not ended. `late`: ended after its deadline. `wrong`: ended well with another
    result than the pages say. `restarts` counts attempts beyond the first; they are no fault."""

    jobs: int = 0
    lost: int = 0
    doubled: int = 0
    open: int = 0
    late: int = 0
    wrong: int = 0
    restarts: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return (self.lost, self.doubled, self.open, self.late, self.wrong) == (0, 0, 0, 0, 0)

    def count(self, kind: str, jobs: int) -> None:
        self.jobs += jobs
        self.kinds[kind] += jobs

    def add(self, what: str, example: object, times: int = 1) -> None:
        """One more that is `lost`, `doubled`, `open`, `late` or `wrong`."""
        setattr(self, what, getattr(self, what) + times)
        if len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(f"{what}: {example}")

    def ended(self, row: dict[str, Any], *, good: str = "completed") -> bool:
        """Count how a row with `status`, `completed_at` and `deadline_at` ended; whether well."""
        if row["completed_at"] is None:
            self.add("open", row["id"])
            return False
        deadline = row["deadline_at"]
        if deadline and _time(row["completed_at"]) > _time(deadline) + _SWEEP:
            self.add("late", row["id"])
        if row["status"] != good:
            self.add("lost", f"{row['id']} {row['status']} {row.get('error')}")
            return False
        return True


_SWEEP: Final = timedelta(seconds=SWEEP_SECONDS)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
