"""`make soak`: an hour of steady mixed work, and the page of what grew meanwhile."""

import argparse
import sys
import time
from pathlib import Path
from typing import Final

from app.core import db
from tests.mixed.installation import ROOT, Installation, installed
from tests.mixed.preparing import account, prepare
from tests.mixed.world import World, world
from tests.soak import report, verdicts
from tests.soak.loading import SteadyLoad
from tests.soak.probes import Probes
from tests.soak.samples import Sample, sample
from tests.soak.verdicts import Verdict

PAGE: Final = ROOT / "docs" / "explanation" / "soak-report.md"
SAMPLE_SECONDS: Final = 10.0
WINDOW_SECONDS: Final = 300.0
WARM_UP_SHARE: Final = 0.2
MOST_BEHIND_SECONDS: Final = 30
RETENTION_DAYS: Final = 0.02
"""So short that a run sees what retention deletes, too, and so long that a busy machine has judged
a window before its jobs are gone."""
_BEGAN: Final = time.monotonic()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=12.0, help="jobs a second")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    with world() as local:
        settings = local.settings | {"LOG_LEVEL": "INFO", "RETENTION_DAYS": str(RETENTION_DAYS)}
        with installed(settings) as running:
            sys.exit(_soaked(running, local, options))


def _soaked(running: Installation, local: World, options: argparse.Namespace) -> int:
    """How many verdicts are bad."""
    prepare(running.settings, local)
    db.open(running.postgres.url(), size=3, wait_seconds=30.0)
    _say("The service is up and its pages are indexed")
    seconds = options.minutes * 60
    window = min(WINDOW_SECONDS, seconds / 4)
    began = time.monotonic()
    load = SteadyLoad(running, local, rate=options.rate, until=began + seconds, window=window)
    probes = Probes(running.url, account(running.settings).account_key, local)
    load.start()
    probes.start()
    samples = _sampled(running, load, began, seconds)
    probes.stop()
    _say("Waiting for the last window to end")
    load.join()
    db.close()
    facts = _facts(running, samples, load, probes, window, options)
    report.written(options.page, facts)
    bad = [verdict for verdict in facts.verdicts if not verdict.good]
    for verdict in bad:
        _say(f"BAD: {verdict.what}: {verdict.measured} (limit {verdict.limit})")
    _say(f"{len(facts.verdicts) - len(bad)} of {len(facts.verdicts)} verdicts are good")
    return len(bad)


def _sampled(running: Installation, load: SteadyLoad, began: float, seconds: float) -> list[Sample]:
    samples: list[Sample] = []
    while (now := time.monotonic() - began) < seconds and not load.failures:
        samples.append(sample(running, now))
        if len(samples) % 6 == 1:
            _say(_progress(samples[-1], load))
        running.rest(max(0.0, began + now + SAMPLE_SECONDS - time.monotonic()))
    return samples


def _progress(seen: Sample, load: SteadyLoad) -> str:
    heap = sum(usage.heap_bytes for usage in seen.programs.values()) / 2**20
    return (
        f"{load.submitted:,} jobs submitted, {seen.searches:,} searches kept, {heap:.0f} MiB,"
        f" {sum(seen.connections.values())} connections, logs {seen.log_bytes / 1024:.0f} kB"
    )


def _facts(
    running: Installation,
    samples: list[Sample],
    load: SteadyLoad,
    probes: Probes,
    window: float,
    options: argparse.Namespace,
) -> report.Facts:
    warm_up = WARM_UP_SHARE * options.minutes * 60
    settled = [each for each in samples if each.seconds >= warm_up]
    windows = {
        name: _by_window(times, warm_up, window) for name, times in sorted(probes.seconds.items())
    }
    judged = [
        _tallied(load),
        Verdict("errors", _errors(load, probes), "none", not load.failures and not probes.errors),
        _pace(load),
        Verdict("processes that fell", f"{dict(running.fallen)}", "none", not running.fallen),
        *verdicts.memory(settled),
        *verdicts.resources(settled),
        *(verdicts.latency(name, times) for name, times in windows.items()),
        verdicts.logs(samples, load.submitted),
        verdicts.rows(samples, RETENTION_DAYS * 86_400),
    ]
    command = f'make soak ARGS="--minutes {options.minutes:g} --rate {options.rate:g}"'
    return report.Facts(
        options.minutes, options.rate, warm_up, window, command, settled, windows, judged,
        _work(load, probes),
    )  # fmt: skip


def _tallied(load: SteadyLoad) -> Verdict:
    tally = load.tally
    counts = ("lost", "doubled", "open", "late", "wrong")
    measured = ", ".join(f"{getattr(tally, name)} {name}" for name in counts)
    return Verdict("jobs", f"{tally.jobs:,}: {measured}", "0 of each", tally.good)


def _pace(load: SteadyLoad) -> Verdict:
    """A machine too slow for the rate has its own backlog, and retention deletes what is not judged
    yet: such a run says nothing of what was lost."""
    limit = f"{MOST_BEHIND_SECONDS} s"
    is_good = load.behind <= MOST_BEHIND_SECONDS
    return Verdict("load behind its rate", f"{load.behind} s at most", limit, is_good)


def _errors(load: SteadyLoad, probes: Probes) -> str:
    return "; ".join([*load.failures, *probes.errors][:3]) or "none"


def _work(load: SteadyLoad, probes: Probes) -> list[str]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in load.tally.kinds.items())
    return [
        f"jobs: {kinds}; and {sum(map(len, probes.seconds.values())):,} operations of probes",
        f"repeated by clients: {load.server_errors} answers of 5xx, {load.unanswered} requests"
        f" without an answer, {probes.repeated} of the probes",
        *load.tally.examples[:10],
    ]


def _by_window(
    times: list[tuple[float, float]], warm_up: float, window: float
) -> list[list[float]]:
    """Seconds of an operation, from the end of the warm-up in windows; the last one is whole."""
    settled = [(when - warm_up, taken) for when, taken in times if when >= warm_up]
    if not settled:
        return [[]]
    count = max(1, int((settled[-1][0] + 1) // window))
    windows: list[list[float]] = [[] for _ in range(count)]
    for when, taken in settled:
        windows[min(count - 1, int(when // window))].append(taken)
    return windows


def _say(text: str) -> None:
    sys.stdout.write(f"{time.monotonic() - _BEGAN:7.1f} s  {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
