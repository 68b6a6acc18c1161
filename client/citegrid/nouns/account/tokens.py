"""Access tokens: what a signed-in account proves itself with."""

from citegrid.calls import Call, json_of, nothing
from citegrid.nouns.noun import M, Noun, operation
from citegrid.profiles.credentials import Access, Tokens
from citegrid.service import REFRESH


class SessionTokens(Noun[M]):
    """`client.tokens`; `client.sign_in` and `client.sign_out` also use what these return."""

    @operation("POST", "/v1/tokens", Access.NONE, makes=True)
    def create(
        self, email: str, password: str, *, idempotency_key: str | None = None
    ) -> Call[Tokens]:
        """Exchange e-mail and password for tokens."""
        return Call(json_of(Tokens))

    @operation(REFRESH.method, REFRESH.template, REFRESH.access, makes=True)
    def refresh(self, refresh_token: str, *, idempotency_key: str | None = None) -> Call[Tokens]:
        """Exchange a refresh token; using it a second time ends the session.

        A client that has a refresh token does this by itself.
        """
        return Call(json_of(Tokens))

    @operation("DELETE", "/v1/tokens/current", Access.ACCOUNT)
    def revoke(self) -> Call[None]:
        """End the access token that this client uses, and its refresh token."""
        return Call(nothing)

    @operation("DELETE", "/v1/tokens", Access.ACCOUNT)
    def revoke_all(self) -> Call[None]:
        """Sign out everywhere: every access and refresh token of the account ends."""
        return Call(nothing)
