"""Accounts, tokens and API keys over HTTP."""

from typing import Any
from uuid import UUID

from flask.blueprints import BlueprintSetupState
from marshmallow import Schema

from app.core import db, ids
from app.core.db import Tx
from app.core.errors import Invalid, Overloaded
from app.core.http import Blueprint, account_only, caller, public, raises
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.core.ids import Noun
from app.domains.account.accounts import schemas, service
from app.domains.account.accounts.service import ApiKeyNotFound
from app.domains.account.accounts.sign_in import login as signing_in
from app.domains.account.accounts.sign_in import passwords, sessions
from app.domains.account.accounts.sign_in.authentication import (
    AuthExpiredToken,
    AuthInvalidToken,
    AuthRevokedToken,
)
from app.domains.account.accounts.sign_in.peppers import Peppers
from app.domains.account.accounts.sign_in.throttle import Throttle

accounts = Blueprint("accounts", __name__, description="Signing up, and the account itself.")
tokens = Blueprint("tokens", __name__, description="Signing in and out.")
api_keys = Blueprint("api-keys", __name__, description="API keys: create, limit, roll, revoke.")

blueprints = (accounts, tokens, api_keys)


@accounts.route("/v1/accounts", methods=["POST"])
@public
@raises(signing_in.SignUpClosed, service.EmailTaken, Overloaded)
@accounts.doc(operationId="createAccount")
@accounts.arguments(schemas.AccountIn)
@accounts.response(201, schemas.AccountOut)
def create_account(body: dict[str, Any]) -> dict[str, Any]:
    """Create an account."""
    if not signing_in.may_sign_up():
        raise signing_in.SignUpClosed
    with signing_in.password_lane().enter() as hashing:
        password_hash = hashing.hash(body["password"])  # slow: not inside the transaction

    def make(tx: Tx) -> dict[str, Any]:
        added = service.add_account(tx, body["email"], password_hash)
        return _plain(schemas.AccountOut, {"account": added})

    return once(_without_password(body), make)


def _plain(schema: type[Schema], made: Any) -> dict[str, Any]:
    """The answer in JSON's types already when it is stored, so that a replay equals it."""
    plain: dict[str, Any] = schema().dump(made)
    return plain


def _without_password(body: dict[str, Any]) -> dict[str, Any]:
    """For the stored fingerprint, which is a fast hash: the password under our secret key."""
    return {**body, "password": signing_in.pepper().digest(f"password {body['password']}").hex()}


@accounts.route("/v1/account", methods=["GET"])
@account_only
@accounts.doc(operationId="getAccount")
@accounts.response(200, schemas.OwnAccountOut)
def get_account() -> dict[str, Any]:
    """The signed-in account and its credit."""
    with db.reading() as reader:
        return {
            "account": service.account(reader, caller().account_id),
            "credit": service.CREDIT.only(reader, caller().account_id),
        }


@accounts.route("/v1/account/password", methods=["POST"])
@account_only
@raises(Overloaded)
@accounts.doc(operationId="changePassword")
@accounts.arguments(schemas.PasswordIn)
@accounts.response(204)
def change_password(body: dict[str, Any]) -> None:
    """Change the password: every other sign-in of the account ends, its API keys stay.

    A wrong `current_password` is a failed attempt to sign in, and slowed down as such.
    """
    with db.reading() as reader:
        login = sessions.login_of(reader, caller().account_id)
    new_password = service.new_password(body["new_password"], login.email, "new_password")
    try:
        with signing_in.proving(login.email) as hashing:
            sessions.prove(login, body["current_password"], hashing)
            password_hash = hashing.hash(new_password)
        with db.transaction() as tx:
            sessions.change_password(tx, login, password_hash, caller().credential_id)
    except sessions.AuthInvalidCredentials:
        problem = "This is not the password of the account."
        raise Invalid(details=[{"field": "/current_password", "problem": problem}]) from None


@tokens.route("/v1/tokens", methods=["POST"])
@public
@raises(sessions.AuthInvalidCredentials, Overloaded)
@tokens.doc(operationId="createToken")
@tokens.arguments(schemas.TokenIn)
@tokens.response(201, schemas.TokensOut)
def create_token(body: dict[str, Any]) -> dict[str, Any]:
    """Sign in."""
    proven = signing_in.prove(body["email"], body["password"])

    def make(tx: Tx) -> dict[str, Any]:
        sessions.hold(tx, proven)
        return _tokens(sessions.start(tx, signing_in.pepper(), proven.id))

    return once(_without_password(body), make)


def _tokens(issued: sessions.IssuedTokens) -> dict[str, Any]:
    return {
        "access_token": issued.access_token,
        "token_type": "Bearer",
        "expires_in": sessions.ACCESS_SECONDS,
        "refresh_token": issued.refresh_token,
    }


def _prepare(state: BlueprintSetupState) -> None:
    extensions = state.app.extensions
    extensions["peppers"] = Peppers(extensions["settings"])
    extensions["sign_in_throttle"] = Throttle(extensions["redis"])
    extensions["password_lane"] = passwords.Lane(extensions["settings"].password_requests)


tokens.record_once(_prepare)


@tokens.route("/v1/tokens/refresh", methods=["POST"])
@public
@raises(AuthInvalidToken, AuthExpiredToken, AuthRevokedToken)
@tokens.doc(operationId="refreshToken")
@tokens.arguments(schemas.RefreshIn)
@tokens.response(201, schemas.TokensOut)
def refresh_token(body: dict[str, Any]) -> dict[str, Any]:
    """Exchange a refresh token, once, for new tokens; using it again signs the session out."""

    def make(tx: Tx) -> dict[str, Any]:
        return _tokens(sessions.refresh(tx, signing_in.pepper(), body["refresh_token"]))

    try:
        return once(body, make)
    except sessions.RefreshTokenReused as reused:
        with db.transaction() as tx:
            sessions.end(tx, reused.family_id)
        raise AuthRevokedToken from None


@tokens.route("/v1/tokens", methods=["DELETE"])
@account_only
@tokens.doc(operationId="deleteTokens")
@tokens.response(204)
def delete_tokens() -> None:
    """Sign out everywhere: every access and refresh token of the account ends; API keys stay."""
    with db.transaction() as tx:
        sessions.end_all(tx, caller().account_id)


@tokens.route("/v1/tokens/current", methods=["DELETE"])
@account_only
@tokens.doc(operationId="deleteCurrentToken")
@tokens.response(204)
def delete_current_token() -> None:
    """Sign out: this access token and its refresh token end."""
    with db.transaction() as tx:
        sessions.end(tx, caller().credential_id)


@api_keys.route("/v1/api-keys", methods=["GET"])
@account_only
@api_keys.doc(operationId="listApiKeys")
@api_keys.arguments(PageIn, location="query")
@api_keys.response(200, schemas.ApiKeysOut)
def list_api_keys(query: dict[str, Any]) -> dict[str, Any]:
    """The account's keys, revoked and expired ones too."""
    with db.reading() as reader:
        found = service.keys(reader, caller().account_id, query.get("cursor"), query["limit"])
    return page("api_keys", found, query["limit"])


@api_keys.route("/v1/api-keys", methods=["POST"])
@account_only
@api_keys.doc(operationId="createApiKey")
@api_keys.arguments(schemas.ApiKeyIn)
@api_keys.response(201, schemas.NewApiKeyOut)
def create_api_key(body: dict[str, Any]) -> dict[str, Any]:
    """Create a key; its secret is in this answer only."""

    def make(tx: Tx) -> dict[str, Any]:
        made = service.create_key(tx, caller().account_id, **body, pepper=signing_in.pepper())
        return _plain(schemas.NewApiKeyOut, made)

    return once(body, make)


@api_keys.route("/v1/api-keys/<key_id>", methods=["PATCH"])
@account_only
@raises(ApiKeyNotFound, service.ApiKeyInactive)
@api_keys.doc(operationId="updateApiKey")
@api_keys.arguments(schemas.ApiKeyChangeSchema)
@api_keys.response(200, schemas.ApiKeyOut)
def update_api_key(body: dict[str, Any], key_id: str) -> dict[str, Any]:
    """Change a key's name, scopes or end; other processes see it within 5 seconds."""
    with db.transaction() as tx:
        return {"api_key": service.change_key(tx, caller().account_id, _id(key_id), body)}


@api_keys.route("/v1/api-keys/<key_id>", methods=["DELETE"])
@account_only
@raises(ApiKeyNotFound)
@api_keys.doc(operationId="deleteApiKey")
@api_keys.response(204)
def delete_api_key(key_id: str) -> None:
    """Revoke a key; idempotent. Other processes refuse it within 5 seconds."""
    with db.transaction() as tx:
        service.revoke_key(tx, caller().account_id, _id(key_id))


@api_keys.route("/v1/api-keys/<key_id>/roll", methods=["POST"])
@account_only
@raises(ApiKeyNotFound, service.ApiKeyInactive)
@api_keys.doc(operationId="rollApiKey")
@api_keys.arguments(schemas.RollIn)
@api_keys.response(201, schemas.NewApiKeyOut)
def roll_api_key(body: dict[str, Any], key_id: str) -> dict[str, Any]:
    """Replace a key: a new one with the same rights; the old one ends after the overlap."""
    id, hours = _id(key_id), body["overlap_hours"]

    def make(tx: Tx) -> dict[str, Any]:
        made = service.roll_key(tx, caller().account_id, id, hours, pepper=signing_in.pepper())
        return _plain(schemas.NewApiKeyOut, made)

    return once(body, make)


def _id(text: str) -> UUID:
    if (id := ids.internal(Noun.API_KEY, text)) is None:
        raise ApiKeyNotFound
    return id
