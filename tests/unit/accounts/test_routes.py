"""What every route of the domain declares."""

from flask import Flask

from app.core.config.settings import Settings
from app.core.http import Api, access
from app.domains.account.accounts.routes import blueprints


def mounted() -> tuple[Flask, Api]:
    app = Flask("accounts")
    app.config.update(API_TITLE="t", API_VERSION="v1", OPENAPI_VERSION="3.1.0")
    unused = Settings(database_url="unused", redis_url="unused", secret_key="x" * 32)
    app.extensions.update(redis=_NoRedis(), settings=unused)
    api = Api(app)
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    return app, api


class _NoRedis:
    def register_script(self, script: str) -> str:
        return script


def test_every_operation_has_its_name_and_tag() -> None:
    paths = mounted()[1].document()["paths"]
    found = {
        (operation["operationId"], operation["tags"][0])
        for path in paths.values()
        for method, operation in path.items()
        if method != "parameters"
    }
    assert found == {
        ("createAccount", "accounts"),
        ("getAccount", "accounts"),
        ("changePassword", "accounts"),
        ("createToken", "tokens"),
        ("refreshToken", "tokens"),
        ("deleteTokens", "tokens"),
        ("deleteCurrentToken", "tokens"),
        ("listApiKeys", "api-keys"),
        ("createApiKey", "api-keys"),
        ("updateApiKey", "api-keys"),
        ("deleteApiKey", "api-keys"),
        ("rollApiKey", "api-keys"),
    }


def test_only_signing_up_and_in_are_public() -> None:
    app, _ = mounted()
    with app.app_context():
        declared = {
            name: access.of_endpoint(name)
            for name in app.view_functions
            if name.partition(".")[0] in ("accounts", "tokens", "api-keys")
        }
    assert None not in declared.values()
    open_to_all = {name for name, found in declared.items() if found and found.public}
    assert open_to_all == {"accounts.create_account", "tokens.create_token", "tokens.refresh_token"}
    assert {found.scope for found in declared.values() if found} == {None}
