"""API keys and tokens: how they look, and the digest that is stored instead of them."""

import hmac
import re
import secrets
import string
import zlib
from dataclasses import dataclass
from typing import Final, Self

from app.core.config.settings import Settings

API_KEY: Final = "cgk_live_"
ACCESS: Final = "cga_"
REFRESH: Final = "cgr_"
NODE: Final = "cgn_"
SESSION: Final = "cgs_"
LINK: Final = "cgl_"

_ALPHABET: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_FORM = re.compile(r"(cgk_live_|cga_|cgr_|cgn_|cgs_|cgl_)[0-9A-Za-z]{49}", re.ASCII)
_SUM_LENGTH: Final = 6


def new(prefix: str) -> str:
    """`prefix`, 256 random bits in 43 characters, and 6 of checksum; base62."""
    body = prefix + _base62(secrets.randbits(256), 43)
    return body + _checksum(body)


def prefix_of(text: str) -> str | None:
    """API_KEY, ACCESS and so on; None for what we cannot have issued, as a mistyped key."""
    match = _FORM.fullmatch(text)
    if match is None or _checksum(text[:-_SUM_LENGTH]) != text[-_SUM_LENGTH:]:
        return None
    return match[1]


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _SUM_LENGTH)


def _base62(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


@dataclass(frozen=True, slots=True, repr=False)
class Pepper:
    """Turns a credential into what is stored: HMAC-SHA256 under keys that no database holds.

    A fast digest is enough, since 256 random bits cannot be guessed (OWASP ASVS 6.5.2).
    """

    keys: tuple[bytes, ...]

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The current SECRET_KEY, then the previous one if there is any."""
        context = b"citegrid credentials"  # the same SECRET_KEY seals other things, differently
        return cls(
            tuple(hmac.digest(key.encode(), context, "sha256") for key in settings.secret_keys)
        )

    def digest(self, text: str) -> bytes:
        return hmac.digest(self.keys[0], text.encode(), "sha256")

    def digests(self, text: str) -> list[bytes]:
        """Under each key: for finding."""
        return [hmac.digest(key, text.encode(), "sha256") for key in self.keys]
