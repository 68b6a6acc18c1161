"""Settings: read once, every problem at once, no value repeated."""

import pytest

from app.core.config.settings import BadConfiguration, Settings

GOOD = {"DATABASE_URL": "postgresql://d", "REDIS_URL": "redis://r", "SECRET_KEY": "s" * 32}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DISPATCH_DEPTH", "LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def set_all(environment: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        environment.setenv(name, value)


def test_what_is_not_set_has_its_default(environment: pytest.MonkeyPatch) -> None:
    set_all(environment, **GOOD)
    assert Settings.from_env().dispatch_depth == 64


def test_all_missing_variables_are_named_at_once(environment: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadConfiguration) as caught:
        Settings.from_env()
    for name in GOOD:
        assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DISPATCH_DEPTH", "ten"),
        ("DISPATCH_DEPTH", "0"),
        ("SIGN_UP_OPEN", "perhaps"),
        ("LOG_LEVEL", "LOUD"),
        ("SECRET_KEY", "short"),
        ("SECURITY_CONTACT", "security@example.org"),
        ("SMTP_URL", "smtps://mail.example.org"),  # without MAIL_FROM
        ("SMTP_URL", "https://mail.example.org"),
        ("MAIL_FROM", "alerts@example.org\r\nBcc: ada@example.org"),
        ("MAIL_FROM", "Citegrid alerts@example.org"),
        ("SECURITY_POLICY_URL", "example.org"),
        ("SEARXNG_URL", "searx.example.org"),
        ("SEARXNG_URL", "https://user:password@searx.example.org"),
        ("BRAVE_URL", "https://[::1"),
        ("BRAVE_URL", "https://brave.example.org:99999"),
        ("BRAVE_PER_SECOND", "0"),
        ("WEB_THREADS", "23"),
        ("EXTRACTION_PRODUCT_SEGMENT", "a/b"),
        ("REDIS_URL", "sentinel://one:26379,two:26379"),
        ("SERVICE_BASE_URL", "search.example.org"),
        ("ALLOWED_HOSTS", "https://search.example.org"),
        ("ALLOWED_HOSTS", "*"),
        ("INDEX_URL", "https://user:password@search.example.org"),
        ("INDEX_PREFIX", "Citegrid/"),
        ("TRACING_URL", "http://user:password@127.0.0.1:4318/v1/traces"),
        ("EGRESS_PROXY", "http://proxy:3128"),
        ("EGRESS_PROXY", "proxy:99999"),
        ("METRICS_PORT", "65536"),
        ("RETENTION_DAYS", "-1"),
        ("CHAT_FEE_PERCENT", "100.5"),
        ("DATABASE_URL", "mysql://host/citegrid"),
        ("SERVICE_BASE_URL", "https://search.example.org\nnext"),
        ("FETCH_CONTACT", "Zoë (operator)"),
        ("FETCH_ALLOW", "10.0.0.1/8"),
        ("EXTRACT_FETCH_ALLOW", "http://wiki.corp"),
        ("WEB_FETCH_ALLOW", "wiki.corp:0"),
        ("WEBHOOK_ALLOW", "10.0.0.0/8:http"),
    ],
)
def test_a_value_that_cannot_be_is_named(
    environment: pytest.MonkeyPatch, name: str, value: str
) -> None:
    set_all(environment, **{**GOOD, name: value})
    with pytest.raises(BadConfiguration, match=name):
        Settings.from_env()


def test_a_value_is_never_repeated(environment: pytest.MonkeyPatch) -> None:
    set_all(environment, **{**GOOD, "SECRET_KEY": "hunter22"})
    with pytest.raises(BadConfiguration) as caught:
        Settings.from_env()
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgresql://u:hunter22%zz@host/citegrid"),
        ("REDIS_URL", "redis://:hunter22#x@host:6379/0"),
        ("REDIS_URL", "redis://u:hunter22/x@host:6379/0"),
    ],
)
def test_a_password_that_is_not_encoded_is_no_part_of_the_problem(
    environment: pytest.MonkeyPatch, name: str, value: str
) -> None:
    set_all(environment, **{**GOOD, name: value})
    with pytest.raises(BadConfiguration, match=name) as caught:
        Settings.from_env()
    assert "hunter22" not in str(caught.value)


def test_settings_do_not_print_their_secrets() -> None:
    settings = Settings(database_url="d", redis_url="r", secret_key="hunter22" * 4)
    assert "hunter22" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "extra"), [("INDEX_URL", "opensearch"), ("TRACING_URL", "tracing")]
)
def test_what_needs_an_extra_says_so(
    environment: pytest.MonkeyPatch, name: str, extra: str
) -> None:
    environment.setattr("app.core.config.values.find_spec", lambda name: None)
    set_all(environment, **GOOD, **{name: "http://127.0.0.1:9200"})
    with pytest.raises(BadConfiguration, match=rf"requirements/{extra}\.lock"):
        Settings.from_env()


def test_a_model_needs_a_name(environment: pytest.MonkeyPatch) -> None:
    set_all(environment, **GOOD, MODEL_URL="http://127.0.0.1:8080/v1")
    with pytest.raises(BadConfiguration, match="MODEL_NAME"):
        Settings.from_env()


def test_the_address_of_a_model_holds_no_password(environment: pytest.MonkeyPatch) -> None:
    set_all(environment, **GOOD, MODEL_URL="http://user:hunter2@host/v1", MODEL_NAME="m")
    with pytest.raises(BadConfiguration) as caught:
        Settings.from_env()
    assert "MODEL_URL" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_waiting_leaves_threads_for_others(environment: pytest.MonkeyPatch) -> None:
    set_all(environment, **GOOD, WAITING_REQUESTS="37")
    with pytest.raises(BadConfiguration, match=r"WEB_THREADS.*WAITING_REQUESTS"):
        Settings.from_env()
