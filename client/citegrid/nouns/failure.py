"""Why something that the server worked on has failed."""

from citegrid.transport.codec import ApiObject


class Failure(ApiObject):
    """Why it failed; `code` is of the server's catalogue of errors."""

    code: str
    message: str
    retryable: bool
