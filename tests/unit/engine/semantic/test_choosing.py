"""Which embedder a process gets from its settings."""

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from app.core.config.settings import BadConfiguration, Settings
from app.engine.semantic.embedder_choice import choose
from app.engine.semantic.packaged import e5, minilm

PLAIN = Settings(database_url="", redis_url="", secret_key="x" * 32)
SERVICE = replace(
    PLAIN,
    embeddings_url="http://127.0.0.1:9/v1",
    embeddings_model="small",
    embeddings_dimensions=3,
    embeddings_api_key="sk-very-secret",
)


def test_without_package_and_endpoint_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for model in (minilm, e5):
        monkeypatch.setattr(model, "installed", lambda: None)
    assert (choose(PLAIN).embedders, choose(PLAIN).broken) == ((), False)


@pytest.mark.parametrize("missing", [minilm, e5])
def test_the_packaged_model_that_is_there_is_enough(
    monkeypatch: pytest.MonkeyPatch, missing: ModuleType
) -> None:
    before = choose(PLAIN)
    monkeypatch.setattr(missing, "installed", lambda: None)
    left = choose(PLAIN)
    assert not left.broken
    assert set(left.embedders) < set(before.embedders) or not before.embedders


def test_what_was_chosen_is_said_without_the_key() -> None:
    assert choose(SERVICE).why == "embeddings from 127.0.0.1/small:3"


def test_an_address_with_a_password_is_refused() -> None:
    choice = choose(replace(SERVICE, embeddings_url="http://me:secret@127.0.0.1/v1"))
    assert (choice.embedders, choice.broken) == ((), True)
    assert "secret" not in choice.why


@pytest.fixture
def with_another_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """Settings with a packaged model that is not the known one."""
    package = minilm.Package(tmp_path / "model.onnx", tmp_path / "tokenizer.json")
    package.onnx.write_bytes(b"something else")
    monkeypatch.setattr(minilm, "installed", lambda: package)
    return PLAIN


def test_weights_that_are_not_the_known_ones_are_refused(with_another_file: Settings) -> None:
    choice = choose(with_another_file)
    assert (choice.embedders, choice.broken) == ((), True)
    assert choice.why == "model.onnx of the packaged model is not the file whose hash is known"


def test_the_packaged_model_can_be_turned_off(with_another_file: Settings) -> None:
    assert not choose(replace(with_another_file, embeddings_packaged=False)).broken


def test_an_endpoint_needs_a_model_and_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://x")
    monkeypatch.setenv("REDIS_URL", "redis://x")
    monkeypatch.setenv("SECRET_KEY", "x" * 32)
    monkeypatch.setenv("EMBEDDINGS_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(BadConfiguration, match="EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS"):
        Settings.from_env()
