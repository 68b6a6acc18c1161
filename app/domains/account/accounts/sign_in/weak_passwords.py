"""The passwords that guessers try first.

The lists of zxcvbn (Wheeler, USENIX Security 2016): the most common passwords of leaks, names and
words; and what it finds by rules instead, as sequences and words in disguise.
"""

from typing import Final

from zxcvbn.frequency_lists import FREQUENCY_LISTS

_BY_RULES: Final = """
    01234567 012345678 0123456789 12121212 123123123 1231231231 12341234 1234512345 13131313
    1qaz1qaz 20202020 21212121 23232323 69696969 87654321 98765432 987654321 9876543210
    aa12345678 abcdefgh abcdefghi admin1234 admin12345 asdasdasd demo1234 family123 guest123
    letmein! letmein123 lovely123 p@55w0rd p@ssw0rd1 p@ssword pa$$word passpass password1!
    password123! password2024 password2025 password2026 qwertyqwerty root1234 snoopy123
    summer2024 summer2025 test12345 testtest tigger123 user1234 welcome1! winter2024 winter2025
    zaq1zaq1 zxcvzxcv
    """


def is_common(password: str) -> bool:
    """True if guessers try it early; in lower case, and of more than one character."""
    # A millisecond, where its hash takes two hundred: no set of a hundred thousand in each process.
    lists = [_BY_RULES.split(), *FREQUENCY_LISTS.values()]
    return any(password in words for words in lists)
