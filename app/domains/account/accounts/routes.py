"""Accounts, tokens and API keys over HTTP."""

from typing import Any
from uuid import UUID

from app.core import db
from app.core.db import Tx
from app.core.errors import Invalid, Overloaded
from app.core.http import Blueprint, account_only, caller, public, raises
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.account.accounts import schemas, service, store
from app.domains.account.accounts.hooks import CREDIT
from app.domains.account.accounts.service import ApiKeyNotFound
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.authentication import (
    AuthExpiredToken,
    AuthInvalidToken,
    AuthRevokedToken,
)
from app.domains.account.accounts.sign_in.login import (
    SignUpClosed,
    may_sign_up,
    password_lane,
    pepper,
    prove,
    proving,
)

accounts = Blueprint("accounts", __name__, description="Sign-up and account.")
tokens = Blueprint("tokens", __name__, description="Sign-in and sign-out.")
api_keys = Blueprint("api-keys", __name__, description="API keys.")


@accounts.route("/v1/accounts", methods=["POST"], operation="createAccount")
@public
@raises(SignUpClosed, service.EmailTaken, Overloaded)
@accounts.arguments(schemas.AccountIn)
@accounts.response(201, schemas.AccountOut)
def create_account(body: dict[str, Any]) -> dict[str, Any]:
    """Create an account."""
    if not may_sign_up():
        raise SignUpClosed
    with password_lane().enter() as hashing:
        password_hash = hashing.hash(body["password"])  # slow: not inside the transaction

    def make(tx: Tx) -> dict[str, Any]:
        return {"account": service.add_account(tx, body["email"], password_hash)}

    return once(body, make, schemas.AccountOut, known_as=_without_password(body))


def _without_password(body: dict[str, Any]) -> list[dict[str, Any]]:
    """For the stored fingerprint, which is a fast hash: the password under each secret key."""
    digests = pepper().digests(f"password {body['password']}")
    return [{**body, "password": digest.hex()} for digest in digests]


@accounts.route("/v1/account", methods=["GET"], operation="getAccount")
@account_only
@accounts.response(200, schemas.OwnAccountOut)
def get_account() -> dict[str, Any]:
    """Get the account and its credit."""
    with db.reading() as reader:
        return {
            "account": service.account_by_id(reader, caller().account_id),
            "credit": CREDIT.only(reader, caller().account_id),
        }


@accounts.route("/v1/account/password", methods=["POST"], operation="changePassword")
@account_only
@raises(Overloaded)
@accounts.arguments(schemas.PasswordIn)
@accounts.response(204)
def change_password(body: dict[str, Any]) -> None:
    """Change the password. Ends all other sessions; API keys keep working.

    A wrong `current_password` counts as a failed sign-in.
    """
    with db.reading() as reader:
        login = sessions.login_of(reader, caller().account_id)
    new_password = service.new_password(body["new_password"], login.email, "new_password")
    try:
        with proving(login.email) as hashing:
            sessions.prove(login, body["current_password"], hashing)
            password_hash = hashing.hash(new_password)
        with db.transaction() as tx:
            sessions.change_password(tx, login, password_hash, caller().credential_id)
    except sessions.AuthInvalidCredentials:
        raise Invalid.at("/current_password", "This is not the password of the account.") from None


@tokens.route("/v1/tokens", methods=["POST"], operation="createToken")
@public
@raises(sessions.AuthInvalidCredentials, Overloaded)
@tokens.arguments(schemas.TokenIn)
@tokens.response(201, schemas.TokensOut)
def create_token(body: dict[str, Any]) -> dict[str, Any]:
    """Sign in."""
    proven, keys = prove(body["email"], body["password"]), pepper()

    def make(tx: Tx) -> dict[str, Any]:
        sessions.hold(tx, proven)
        return _tokens(sessions.start(tx, keys, proven.id))

    return once(body, make, known_as=_without_password(body))


def _tokens(issued: sessions.IssuedTokens) -> dict[str, Any]:
    return {
        "access_token": issued.access_token,
        "token_type": "Bearer",
        "expires_in": sessions.ACCESS_SECONDS,
        "refresh_token": issued.refresh_token,
    }


@tokens.route("/v1/tokens/refresh", methods=["POST"], operation="refreshToken")
@public
@raises(AuthInvalidToken, AuthExpiredToken, AuthRevokedToken)
@tokens.arguments(schemas.RefreshIn)
@tokens.response(201, schemas.TokensOut)
def refresh_token(body: dict[str, Any]) -> dict[str, Any]:
    """Exchange a refresh token for new tokens. Reusing a refresh token ends the session."""
    keys = pepper()

    def make(tx: Tx) -> dict[str, Any]:
        return _tokens(sessions.refresh(tx, keys, body["refresh_token"]))

    try:
        return once(body, make)
    except sessions.RefreshTokenReused as reused:
        with db.transaction() as tx:
            sessions.end(tx, reused.family_id)
        raise AuthRevokedToken from None


@tokens.route("/v1/tokens", methods=["DELETE"], operation="deleteTokens")
@account_only
@tokens.response(204)
def delete_tokens() -> None:
    """Sign out of all sessions. Revokes all access and refresh tokens; API keys keep working."""
    with db.transaction() as tx:
        sessions.end_all(tx, caller().account_id)


@tokens.route("/v1/tokens/current", methods=["DELETE"], operation="deleteCurrentToken")
@account_only
@tokens.response(204)
def delete_current_token() -> None:
    """Sign out. Revokes this access token and its refresh token."""
    with db.transaction() as tx:
        sessions.end(tx, caller().credential_id)


@api_keys.route("/v1/api-keys", methods=["GET"], operation="listApiKeys")
@account_only
@api_keys.arguments(PageIn, location="query")
@api_keys.response(200, schemas.ApiKeysOut)
def list_api_keys(query: dict[str, Any]) -> dict[str, Any]:
    """List all API keys, including revoked and expired ones."""
    with db.reading() as reader:
        found = store.keys(reader, caller().account_id, query.get("cursor"), query["limit"] + 1)
    return page("api_keys", found, query["limit"])


@api_keys.route("/v1/api-keys", methods=["POST"], operation="createApiKey")
@account_only
@api_keys.arguments(schemas.ApiKeyIn)
@api_keys.response(201, schemas.NewApiKeyOut)
def create_api_key(body: dict[str, Any]) -> dict[str, Any]:
    """Create an API key. Only this response contains its secret."""
    keys = pepper()

    def make(tx: Tx) -> service.NewKey:
        return service.create_key(tx, caller().account_id, **body, pepper=keys)

    return once(body, make, schemas.NewApiKeyOut)


@api_keys.route("/v1/api-keys/<key:key_id>", methods=["PATCH"], operation="updateApiKey")
@account_only
@raises(ApiKeyNotFound, service.ApiKeyInactive)
@api_keys.arguments(schemas.ApiKeyChangeSchema)
@api_keys.response(200, schemas.ApiKeyOut)
def update_api_key(body: dict[str, Any], key_id: UUID) -> dict[str, Any]:
    """Change the name, scopes, corpora or expiry of a key. Takes effect within 5 seconds."""
    with db.transaction() as tx:
        return {"api_key": service.change_key(tx, caller().account_id, key_id, body)}


@api_keys.route("/v1/api-keys/<key:key_id>", methods=["DELETE"], operation="deleteApiKey")
@account_only
@raises(ApiKeyNotFound)
@api_keys.response(204)
def delete_api_key(key_id: UUID) -> None:
    """Revoke a key. Idempotent; takes effect within 5 seconds."""
    with db.transaction() as tx:
        service.revoke_key(tx, caller().account_id, key_id)


@api_keys.route("/v1/api-keys/<key:key_id>/roll", methods=["POST"], operation="rollApiKey")
@account_only
@raises(ApiKeyNotFound, service.ApiKeyInactive)
@api_keys.arguments(schemas.RollIn)
@api_keys.response(201, schemas.NewApiKeyOut)
def roll_api_key(body: dict[str, Any], key_id: UUID) -> dict[str, Any]:
    """Replace a key with a new one with the same rights. The old key expires after the overlap."""
    keys = pepper()

    def make(tx: Tx) -> service.NewKey:
        hours = body["overlap_hours"]
        return service.roll_key(tx, caller().account_id, key_id, hours, pepper=keys)

    return once(body, make, schemas.NewApiKeyOut)
