"""Records the command line in a terminal, against a running server, as an asciicast (version 2).

    eval "$(citegrid-server status -o env)" && python client/recording.py docs/recordings/ask.cast

Nothing is made up: what is recorded is what the commands printed, and when.
"""

import json
import os
import pty
import shlex
import subprocess
import sys
import time
from pathlib import Path

WIDTH, HEIGHT = 100, 32
PAUSE_SECONDS = 1.0  # between commands, for whoever watches
COMMANDS = (
    "citegrid status",
    'citegrid ask "What happens when a worker is killed?"',
    "citegrid search list",
)

Event = tuple[float, str, str]


def record(commands: tuple[str, ...]) -> list[Event]:
    """(seconds since the beginning, "o", what the terminal showed) for each piece of output."""
    events: list[Event] = []
    began = time.monotonic()

    def show(text: str) -> None:
        events.append((round(time.monotonic() - began, 3), "o", text))

    for command in commands:
        show(f"$ {command}\r\n")
        ours, theirs = pty.openpty()
        size = ["stty", "rows", str(HEIGHT), "cols", str(WIDTH)]
        subprocess.run(size, stdin=theirs, check=True)  # noqa: S603 (our own words)
        with subprocess.Popen(shlex.split(command), stdin=theirs, stdout=theirs, stderr=theirs):  # noqa: S603
            os.close(theirs)
            while piece := _read(ours):
                show(piece)
        os.close(ours)
        time.sleep(PAUSE_SECONDS)
    return events


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode("utf-8", "replace")
    except OSError:  # nobody holds the other end any more
        return ""


def main() -> None:
    file = Path(sys.argv[1])
    file.parent.mkdir(parents=True, exist_ok=True)
    head = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": "Ask, and open the quotes"}
    lines = [head, *record(COMMANDS)]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
