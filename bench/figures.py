"""What every benchmark prints and keeps: medians, ratios to a baseline of the same run, aims."""

import argparse
import json
import math
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

OUT = Path(__file__).parent / "out"


@dataclass(frozen=True)
class Aim:
    """A figure and the bound it is meant to keep; `bound` is `>=` or `<=`.

    `reached` is a ratio to `baseline` where there is one; `measured` and `against` are what the two
    came to, in `unit`.
    """

    what: str
    reached: float
    bound: str
    aim: float
    baseline: str | None = None
    measured: float | None = None
    against: float | None = None
    unit: str = ""

    @property
    def kept(self) -> bool:
        return self.reached >= self.aim if self.bound == ">=" else self.reached <= self.aim


def arguments(description: str | None, rounds: int) -> argparse.Namespace:
    """`--rounds` and `--quick`, which every benchmark takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument("--folder", type=Path, help="where the servers keep their data")
    return parser.parse_args()


def paired(measured: Sequence[float], baseline: Sequence[float]) -> float:
    """Median of the ratios of each round: what disturbs one round disturbs both sides of it."""
    return median(a / b for a, b in zip(measured, baseline, strict=True))


def compared(
    what: str,
    measured: Sequence[float],
    baseline: str,
    against: Sequence[float],
    unit: str,
    bound: str,
    aim: float,
) -> Aim:
    """A ratio to a baseline that took turns with what is measured: a number of each a round."""
    ratio = paired(measured, against)
    return Aim(what, ratio, bound, aim, baseline, median(measured), median(against), unit)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table(columns: Sequence[str], rows: Sequence[Sequence[str | float]]) -> None:
    """First column text, the others numbers."""
    print(f"{columns[0]:<38}" + "".join(f"{name:>16}" for name in columns[1:]))
    for first, *numbers in rows:
        print(f"{first:<38}" + "".join(f"{short(x):>16}" for x in numbers))
    print()


def short(x: str | float) -> str:
    """A number as it is read: no digits that say nothing."""
    return x if isinstance(x, str) else f"{x:,.0f}" if abs(x) >= 100 else f"{x:.2f}"


def conclude(name: str, aims: Sequence[Aim], **facts: Any) -> None:
    """Print the aims beside what was reached, and keep everything in bench/out/<name>.json."""
    for aim in aims:
        verdict = "reached" if aim.kept else "MISSED"
        what = f"{aim.what} / {aim.baseline}" if aim.baseline else aim.what
        print(f"{verdict:<9}{what:<60}{aim.reached:>7.2f}   aim {aim.bound} {aim.aim}")
    OUT.mkdir(exist_ok=True)
    kept = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "fdatasync_us": facts.pop("fdatasync_us", None),
        "aims": [{**asdict(aim), "kept": aim.kept} for aim in aims],
        **facts,
    }
    (OUT / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def ndcg(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """nDCG@10 with linear gains, as trec_eval computes it; `grades` are the positive ones."""
    gained = sum(grades.get(x, 0) / math.log2(i + 2) for i, x in enumerate(ranking[:10]))
    ideal = sorted(grades.values(), reverse=True)[:10]
    return gained / sum(grade / math.log2(i + 2) for i, grade in enumerate(ideal))


def fdatasync_us(folder: Path, times: int = 50) -> float:
    """What one durable write costs on the disk of `folder`, median; no commit can be cheaper."""
    path, spent = folder / "fdatasync", []
    file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    os.write(file, bytes(8192 * times))
    os.fsync(file)
    for at in range(times):
        os.pwrite(file, b"x" * 8192, 8192 * at)
        began = time.perf_counter()
        os.fdatasync(file)
        spent.append(time.perf_counter() - began)
    os.close(file)
    path.unlink()
    return median(spent) * 1e6
