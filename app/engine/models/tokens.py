"""A rough count of the tokens a text costs, without any model's tokeniser."""

import math

BYTES_PER_TOKEN = 3.5


def estimate(text: str) -> int:
    """UTF-8 bytes by 3.5: characters by 3.5 in English, about one a character in Chinese."""
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)


def cut(text: str, tokens: int) -> str:
    """The beginning of a text that costs no more than so many tokens."""
    most = max(0, int(tokens * BYTES_PER_TOKEN))
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
