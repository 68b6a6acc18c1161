"""Fuzz the parsers one after the other: `python -m tests.parsers --minutes 10 [NAME ...]`."""

import argparse
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from tests.parsers.targets import TARGETS

OUT = Path(__file__).parents[2] / "build" / "fuzz"
LIMITS = ("-timeout=30", "-rss_limit_mb=3000", "-max_len=65536", "-print_final_stats=1")


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.parsers", description=__doc__)
    arguments.add_argument("names", nargs="*", choices=[*TARGETS, []], metavar="NAME")
    arguments.add_argument("--minutes", type=float, default=1.0, help="for each parser")
    given = arguments.parse_args()
    if find_spec("atheris") is None:
        sys.exit("atheris cannot be had here: nothing was fuzzed beyond what `make test` tries.")
    OUT.mkdir(parents=True, exist_ok=True)
    names = given.names or list(TARGETS)
    broken = [name for name in names if not fuzzed(name, given.minutes)]
    sys.exit(f"Defects in: {', '.join(broken)}; inputs in {OUT}" if broken else 0)


def fuzzed(name: str, minutes: float) -> bool:
    """Whether no defect was found; a line says how many inputs were tried."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(TARGETS[name].seeds):
            (Path(corpus) / str(number)).write_bytes(seed)
        seconds = f"-max_total_time={max(1, round(minutes * 60))}"
        command = [sys.executable, "-m", "tests.parsers.fuzz", name, corpus, seconds, *LIMITS]
        command.append(f"-artifact_prefix={OUT}/{name}-")
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=7200)
    (OUT / f"{name}.log").write_text(ended.stdout + ended.stderr)
    tried = [x.split()[-1] for x in ended.stderr.splitlines() if "number_of_executed_units" in x]
    outcome = "no defect" if ended.returncode == 0 else "DEFECT"
    took = time.monotonic() - began
    print(f"{name:14} {outcome}: {(tried or ['?'])[0]} inputs in {took:.0f} s", flush=True)  # noqa: T201
    return ended.returncode == 0


if __name__ == "__main__":
    main()
