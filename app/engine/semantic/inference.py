"""The one way in which a model that reads for meaning fails, in this process or behind HTTP."""


class InferenceFailed(Exception):
    """No vectors or scores could be had. Names the host and the reason, never a text or a key.

    Not `retryable`: these very texts are refused.
    """

    def __init__(self, why: str, *, retryable: bool = True) -> None:
        super().__init__(why)
        self.retryable = retryable
