"""The text of a systemd unit that keeps a node running."""

from collections.abc import Sequence
from typing import Final

_UNIT: Final = """\
# Keep it as ~/.config/systemd/user/citegrid-node.service, then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now citegrid-node
#   loginctl enable-linger "$USER"        (so that it runs while you are not signed in)
# What it says: journalctl --user -u citegrid-node -f
[Unit]
Description=Citegrid node
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart={command}
Restart=always
RestartSec=5
# 2: wrong usage, 3: the server does not know the node, 4: its token is refused.
RestartPreventExitStatus=2 3 4
# SIGTERM goes to the program, which finishes what it holds and claims nothing new.
KillMode=mixed
TimeoutStopSec=660
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
"""


def unit(command: Sequence[str]) -> str:
    """The unit for a command; it must not have a secret in it, as any user can read units."""
    return _UNIT.format(command=" ".join(_quoted(each) for each in command))


def _quoted(argument: str) -> str:
    """As systemd reads it: `%` and `$` begin specifiers and variables."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("%", "%%").replace("$", "$$")
    plain = all(each.isalnum() or each in "/._-:=@,+" for each in escaped)
    return escaped if plain and escaped else f'"{escaped}"'
