"""Profiles: the server and the credentials that `citegrid login` keeps, in a file for each."""

import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from citegrid.errors import CitegridError, InvalidArgument, UnusableAnswer
from citegrid.transport.codec import decode

DEFAULT: Final = "default"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True, repr=False)
class SavedProfile:
    base_url: str
    api_key: str | None = None
    access_token: str | None = None
    refresh_token: str | None = None
    salt: str = ""
    allow_insecure: bool = False


class UnreadableProfile(CitegridError):
    """A saved profile is unreadable. Sign in again."""

    code = "unreadable_profile"


class UnknownProfile(CitegridError, LookupError):
    """No saved profile has this name."""

    code = "unknown_profile"


def file_of(folder: Path, name: str) -> Path:
    """The path of a profile. Raises InvalidArgument for what cannot be a name."""
    if not NAME.fullmatch(name):
        raise InvalidArgument("A profile is named with up to 64 letters, digits, - and _.")
    return folder / ("credentials.json" if name == DEFAULT else f"profiles/{name}.json")


def load(folder: Path, name: str) -> SavedProfile | None:
    """A profile, if it was saved. Raises UnreadableProfile, InvalidArgument."""
    path = file_of(folder, name)
    try:
        profile = SavedProfile(**json.loads(path.read_text(encoding="utf-8")))
        decode(SavedProfile, asdict(profile))  # each member is of its type
        return profile
    except (FileNotFoundError, NotADirectoryError):  # a home of /dev/null has no folders
        return None
    except (OSError, ValueError, TypeError, RecursionError, UnusableAnswer):
        problem = f"{path} cannot be read; log in again."
    raise UnreadableProfile(problem)


def save(folder: Path, name: str, profile: SavedProfile) -> Path:
    path = file_of(folder, name)
    write(path, asdict(profile))
    return path


def write(path: Path, secrets: Mapping[str, Any]) -> None:
    """Write a file of secrets, readable for nobody else, whole, and on the disk at the end."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes the file with mode 0600.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".credentials-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(secrets, file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def forget(folder: Path, name: str) -> None:
    """Delete a profile; one that is not there stays away."""
    file_of(folder, name).unlink(missing_ok=True)


def names(folder: Path) -> list[str]:
    """All profiles that were saved, the default one first."""
    named = sorted(
        path.stem for path in (folder / "profiles").glob("*.json") if NAME.fullmatch(path.stem)
    )
    default = [DEFAULT] if file_of(folder, DEFAULT).exists() else []
    return [*default, *named]
