"""Bodies and answers of accounts, tokens and API keys."""

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, ValidationError, post_load, validate

from app.core.http import fields
from app.core.http.fields import (
    STORABLE,
    Amount,
    AnswerSchema,
    Integer,
    Items,
    PublicId,
    Text,
    Time,
    Token,
)
from app.core.http.names import Name
from app.core.http.pagination import page_schema
from app.core.ids import Noun
from app.domains.account.accounts import emails, key_rules
from app.domains.account.accounts.key_rules import SCOPES
from app.domains.account.accounts.sign_in import passwords


class Email(fields.Str):
    def __init__(self) -> None:
        super().__init__(required=True, format="email", maxLength=emails.MOST_CHARACTERS)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return _checked(emails.normalise, super()._deserialize(value, attr, data, **kwargs))


class Password(fields.Str):
    def __init__(self, least: int = 1, example: str = "correct horse battery") -> None:
        super().__init__(
            required=True,
            example=example,
            format="password",
            minLength=least,
            maxLength=passwords.MOST_CHARACTERS,
            pattern=STORABLE,
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return _checked(passwords.normalise, super()._deserialize(value, attr, data, **kwargs))


class Expiry(Time):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return _checked(key_rules.expiry, super()._deserialize(value, attr, data, **kwargs))


def _checked(rule: Callable[[Any], Any], value: Any) -> Any:
    try:
        return rule(value)
    except ValueError as error:
        raise ValidationError(str(error)) from None


class TokenIn(Schema):
    email = Email()
    password = Password()


class AccountIn(Schema):
    email = Email()
    password = Password(passwords.LEAST_CHARACTERS)

    @post_load
    def acceptable(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        try:
            data["password"] = passwords.acceptable(data["password"], data["email"])
        except ValueError as error:
            raise ValidationError(str(error), "password") from None
        return data


class PasswordIn(Schema):
    current_password = Password()
    new_password = Password(passwords.LEAST_CHARACTERS, "battery horse correct")


class RefreshIn(Schema):
    refresh_token = fields.Str(
        required=True, validate=validate.Length(max=200), example="cgr_...", pattern=STORABLE
    )


class TokensOut(AnswerSchema):
    access_token = fields.Str(example="cga_...")
    token_type = fields.Str(validate=validate.Equal("Bearer"))
    expires_in = fields.Int(example=3600, description="Seconds.")
    refresh_token = fields.Str(example="cgr_...")


class AccountSchema(AnswerSchema):
    id = PublicId(Noun.ACCOUNT)
    email = fields.Str()
    created_at = Time()


class AccountOut(AnswerSchema):
    account = fields.Nested(AccountSchema)


class CreditSchema(AnswerSchema):
    """Credit of the account per token."""

    token = Token()
    available = Amount(example="4.25")
    held = Amount(description="Reserved for the maximum cost of running chats.")


class OwnAccountOut(AccountOut):
    credit = fields.List(fields.Nested(CreditSchema))


def _scopes(**kwargs: Any) -> Items:
    one = fields.Str(validate=validate.OneOf(SCOPES))
    return Items(one, least=1, most=len(SCOPES), **kwargs)


def _corpora() -> Items:
    return Items(
        Text(most=80),
        least=1,
        most=100,
        allow_none=True,
        examples=[["handbook"]],
        description="Ids or names of your corpora to which the key is limited; null for no limit."
        " It can have only the scopes search and corpora, and sees only its own searches.",
    )


class ApiKeyIn(Schema):
    name = Name(most=key_rules.NAME_CHARACTERS, required=True)
    scopes = _scopes(required=True)
    corpora = _corpora()
    expires_at = Expiry(allow_none=True)


class ApiKeyChangeSchema(Schema):
    name = Name(most=key_rules.NAME_CHARACTERS, example="nightly reports")
    scopes = _scopes()
    corpora = _corpora()
    expires_at = Expiry(allow_none=True)


class RollIn(Schema):
    overlap_hours = Integer(
        required=True,
        validate=validate.Range(0, key_rules.MOST_OVERLAP_HOURS),
        example=24,
        description="Hours until the old key expires; 0 means immediately.",
    )


class ApiKeySchema(AnswerSchema):
    id = PublicId(Noun.API_KEY)
    name = fields.Str()
    scopes = fields.List(fields.Str(validate=validate.OneOf(SCOPES)))
    corpora = fields.List(
        PublicId(Noun.CORPUS),
        allow_none=True,
        example=None,
        description="Null: not limited to some.",
    )
    prefix = fields.Str(example="cgk_live_")
    last_four = fields.Str(example="x7Qd")
    created_at = Time()
    expires_at = Time(allow_none=True)
    last_used_at = Time(allow_none=True)
    revoked_at = Time(allow_none=True)
    replaced_by = PublicId(Noun.API_KEY, allow_none=True)


class ApiKeyOut(AnswerSchema):
    api_key = fields.Nested(ApiKeySchema)


class NewApiKeyOut(ApiKeyOut):
    secret = fields.Str(example="cgk_live_...", description="Only in this response.")


ApiKeysOut = page_schema("ApiKeysOut", api_keys=ApiKeySchema)
