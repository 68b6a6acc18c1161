"""The message to the user when everything runs: where it is and what to try."""

import shlex
import sys
from pathlib import Path

from app.local.embedded.state import DEFAULT_FOLDER, DataFolder, LocalRun
from app.local.terminal import Terminal


def banner(terminal: Terminal, folder: DataFolder, run: LocalRun, entrance: str) -> None:
    data = "" if folder.path == DEFAULT_FOLDER.absolute() else f" --data {_quoted(folder.path)}"
    status = f"{_quoted(Path(sys.executable).with_name('citegrid-server'))} status{data}"
    terminal.line(
        f"""
{terminal.paint("Citegrid is running at", "bold")} {run.url}
  dashboard      {entrance} (one-time sign-in link)
  demo key       {run.demo_key} (works on this machine only)
  documentation  {run.url}/docs
  logs           {_shortest(folder.logs)}

Try it in another terminal:
  eval "$({status} -o env)"
  curl -s "$SERVICE_BASE_URL/external/v1/search" -H "X-API-Key: $SERVICE_API_KEY" \\
       -H "Content-Type: application/json" -d '{{"query": "What happens when a worker dies?"}}'
  curl -s "$SERVICE_BASE_URL/external/v1/search/<id>?wait=30" -H "X-API-Key: $SERVICE_API_KEY"

Press Ctrl-C to stop.
"""
    )


def _quoted(path: Path) -> str:
    return shlex.quote(_shortest(path))


def _shortest(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
