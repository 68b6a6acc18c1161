"""Two runs of a set as one sheet for a reader who does not know which answer is which."""

import json
import random
import re
from pathlib import Path
from typing import Any

REFUSED = "(no answer)"

_MARKER = re.compile(r"(?:^|[ \t])\[\d+\](?=\s|$)", re.MULTILINE)
_SPACED_INDEX = re.compile(r"\[ (\d+) \]")
_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})\w*$", re.MULTILINE)


def plain(answer: str) -> str:
    """The words of an answer without what only its version would show: markers, fences, gaps."""
    text = _FENCE.sub("", _SPACED_INDEX.sub(r"[\1]", _MARKER.sub("", answer)))
    lines = (line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{2,}", "\n\n", "\n".join(lines)).strip()


def write(old: Path, new: Path, sheet: Path, key: Path) -> None:
    """The sheet, each pair in an order of its own, and apart from it which answer was whose."""
    runs = {"old": json.loads(old.read_text()), "new": json.loads(new.read_text())}
    sides = {
        n: dict(zip("AB", random.sample(list(runs), 2), strict=True))
        for n in range(1, len(runs["old"]["questions"]) + 1)
    }
    title = f"# {runs['old']['set']}\n"
    sheet.write_text("\n".join([title, *(_pair(n, sides[n], runs) for n in sides)]))
    key.write_text(json.dumps(sides, indent=1) + "\n")


def _pair(n: int, sides: dict[str, str], runs: dict[str, Any]) -> str:
    asked = {run: runs[run]["questions"][n - 1] for run in runs}
    if asked["old"]["question"] != asked["new"]["question"]:
        raise SystemExit(f"The runs differ in question {n}.")
    lines = [f"## {n}. {asked['old']['question']}", ""]
    for side, run in sides.items():
        lines += [f"### Answer {side}", "", *_quoted(asked[run]), ""]
    return "\n".join(lines)


def _quoted(asked: dict[str, Any]) -> list[str]:
    text = plain(asked["answer"]) if asked["answered"] else REFUSED
    return [f"> {line}".rstrip() for line in text.split("\n")]
