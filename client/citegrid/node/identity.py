"""The node's id and token, from the environment or a file only its owner reads."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from citegrid.errors import CitegridError, InvalidArgument
from citegrid.profiles import saved, settings

DEFAULT: Final = "node"


@dataclass(frozen=True, slots=True, repr=False)
class Identity:
    """Not shown: the token is a secret."""

    base_url: str
    node_id: str
    node_token: str


class UnreadableIdentity(CitegridError):
    """The saved node identity is unreadable. Delete its file and register again."""

    code = "unreadable_node"


def file_of(name: str) -> Path:
    """The path of the node of this name. Raises InvalidArgument for no name."""
    if not saved.NAME.fullmatch(name):
        raise InvalidArgument("A node is named with up to 64 letters, digits, - and _.")
    return settings.folder() / "nodes" / f"{name}.json"


def known(name: str, base_url: str) -> Identity | None:
    """The node of the environment, else the one of this name, if it belongs to this server.

    Raises UnreadableIdentity, InvalidArgument.
    """
    node_id, token = settings.node_id(), settings.node_token()
    if node_id and token:
        return Identity(base_url, node_id, token)
    if node_id or token:
        raise InvalidArgument("CITEGRID_NODE_ID and CITEGRID_NODE_TOKEN go together.")
    path = file_of(name)
    try:
        saved = Identity(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError):
        problem = f"{path} cannot be read; delete it and register again."
        raise UnreadableIdentity(problem) from None
    return saved if saved.base_url == base_url else None


def keep(name: str, identity: Identity) -> Path:
    """Keep it for the next start, at no moment readable for others."""
    path = file_of(name)
    saved.write(path, asdict(identity))
    return path
