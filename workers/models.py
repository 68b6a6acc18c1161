"""The chat model that the operator configured."""

from functools import lru_cache

from app.core.breaker import FAIR_SHARE, Breaker
from app.core.config.settings import Settings
from app.engine.models.chat import ChatModel


@lru_cache(maxsize=2)
def chat_model(settings: Settings) -> ChatModel | None:
    """One for the process: it remembers connections, the endpoint's form, and its failures."""
    if not settings.model_url:
        return None
    return ChatModel(
        settings.model_url,
        settings.model_name,
        api_key=settings.model_api_key,
        max_output_tokens=settings.model_max_output_tokens,
        breaker=Breaker(fair_seconds=FAIR_SHARE * settings.model_seconds),
    )
