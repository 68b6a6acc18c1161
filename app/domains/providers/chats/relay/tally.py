"""Tally of what was delivered of an answer, and of how much a node is believed about its tokens."""

from typing import Final

from app.domains.providers.chats.relay.chunks import Chunk, TokenUsage

BYTES_PER_TOKEN: Final = 4
UNSEEN_TOKENS: Final = 16
"""Tokens that show in no text: of turns, of the beginning and the end."""


class ChunkTally:
    def __init__(self, input_bound: int, output_bound: int) -> None:
        self.delivered_bytes = 0
        self._input_bound, self._output_bound = input_bound, output_bound
        self._counted: TokenUsage | None = None

    def deliver(self, chunk: Chunk) -> None:
        self.delivered_bytes += chunk.text_bytes
        self.count(chunk.usage)

    def count(self, usage: TokenUsage | None) -> None:
        """Takes the backend's count up to now; the last one stands."""
        self._counted = usage or self._counted

    def usage(self) -> TokenUsage:
        """The tokens to be charged: as counted, within what can be true; else by bytes."""
        estimate = -(-self.delivered_bytes // BYTES_PER_TOKEN)
        counted = self._counted or TokenUsage(self._input_estimate(), estimate)
        most_output = min(self._output_bound, self.delivered_bytes + UNSEEN_TOKENS)
        return TokenUsage(
            min(counted.prompt_tokens, self._input_bound),
            min(counted.completion_tokens, most_output),
        )

    def _input_estimate(self) -> int:
        """Half of the bound: it supposes two bytes a token, where four are usual."""
        return self._input_bound // 2
