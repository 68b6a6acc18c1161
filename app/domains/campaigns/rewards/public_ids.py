"""How entries of rewards and payouts are called in public, and what their rows refer to."""

from typing import Final

ENTRY_PREFIX = "rwd"
PAYOUT_PREFIX = "pout"

# Of other domains, which stand above this one.
CAMPAIGN: Final = "camp"
RECORD: Final = "crec"
CHAT: Final = "chat"
