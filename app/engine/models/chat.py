"""A chat model behind an OpenAI-compatible endpoint, asked for one JSON object at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from app.core.breaker import Breaker
from app.engine.fetch.deadline import Deadline
from app.engine.models.tokens import estimate
from app.engine.origin import Origin, OriginFailed, Reason

PATH: Final = "/chat/completions"
MOST_TOKENS: Final = 10_000_000  # of a usage report we believe
_BYTES_PER_TOKEN: Final = 24  # JSON-escaped, and with room for what surrounds the text

Why = Reason | Literal["skipped"]
"""Why a model said nothing: a reason of `Origin`, or it is being left alone after failures."""


class ModelFailed(Exception):
    """The model gave no text. Names the reason, never what was asked or with which key."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why: Why = why


@dataclass(frozen=True, slots=True)
class Reply:
    """The text a model wrote, and the tokens it counted; where it counted nothing, the estimate."""

    text: str
    input_tokens: int
    output_tokens: int


class Model(Protocol):
    name: str

    def ask(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], *, seconds: float
    ) -> Reply: ...


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to put the question; endpoints differ in what they take."""

    response: Literal["json_schema", "json_object", "text"]
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    system: bool = True  # some models' templates know no such role

    def body(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], most_tokens: int
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": list(messages) if self.system else _without_system(messages),
            self.limit: most_tokens,
        }
        if self.limit == "max_tokens":  # those that want the other name take no temperature
            body["temperature"] = 0
        if self.response == "json_schema":
            form = {"name": "reply", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if self.response == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body


def _without_system(messages: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The same with the rules at the head of the first question."""
    rules = [x["content"] for x in messages if x["role"] == "system"]
    others = [dict(x) for x in messages if x["role"] != "system"]
    others[0]["content"] = "\n\n".join([*rules, others[0]["content"]])
    return others


_FORMS: Final = (
    _Form("json_schema"),
    _Form("json_object"),
    _Form("text"),
    _Form("json_schema", "max_completion_tokens"),
    _Form("json_schema", system=False),
    _Form("text", system=False),
)
# How endpoints refuse a form. Ollama and some llama.cpp report what they cannot constrain as 500.
_REFUSALS: Final = frozenset({400, 422, 500, 501})


class ChatModel:
    """One model of one endpoint. Threads may share it; remembers which form the endpoint takes."""

    def __init__(
        self,
        url: str,
        name: str,
        *,
        api_key: str = "",
        max_output_tokens: int = 1000,
        breaker: Breaker | None = None,
    ) -> None:
        """`url` is the base, such as `http://host:8080/v1`. Raises ValueError when it is none."""
        self.name = name
        self._most_tokens = max_output_tokens
        self._origin = Origin(
            url,
            headers={"Authorization": f"Bearer {api_key}"} if api_key else None,
            max_bytes=65_536 + max_output_tokens * _BYTES_PER_TOKEN,
        )
        self._breaker = breaker or Breaker()
        self._form: _Form | None = None

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r} at {self._origin.host!r})"

    def ask(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], *, seconds: float
    ) -> Reply:
        """Asks the model at temperature 0 and returns its reply. Raises ModelFailed.

        A form the endpoint refuses is followed by a plainer one, until one was accepted: a JSON
        schema, any JSON object, no form; then another name of the limit, and no system message.
        """
        if not self._breaker.admits():
            raise ModelFailed("skipped")
        try:
            answer = self._post(messages, schema, Deadline(seconds))
            text = _text(answer)
        except OriginFailed as failed:
            if failed.reason == "slow":
                self._breaker.timed_out(seconds)
            else:
                self._breaker.failed(failed.retry_after)
            raise ModelFailed(failed.reason) from None
        except TimeoutError:
            self._breaker.timed_out(seconds)
            raise ModelFailed("slow") from None
        except ValueError:
            self._breaker.failed()
            raise ModelFailed("broken") from None
        self._breaker.worked()
        input_tokens = sum(estimate(message["content"]) for message in messages)
        return Reply(
            text,
            _counted(answer, "prompt_tokens", input_tokens),
            _counted(answer, "completion_tokens", estimate(text)),
        )

    def _post(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], deadline: Deadline
    ) -> Any:
        accepted = self._form
        failure: OriginFailed | None = None
        for form in (accepted,) if accepted else _FORMS:
            body = {
                "model": self.name,
                "stream": False,
                **form.body(messages, schema, self._most_tokens),
            }
            try:
                answer = self._origin.post(PATH, body, seconds=deadline.left())
            except OriginFailed as refusal:
                if refusal.status not in _REFUSALS:
                    raise
                if refusal.reason == "refused":  # another question may fit no form or another one
                    self._form = None
                failure = refusal
            else:
                self._form = form
                return answer
        raise failure or OriginFailed(self._origin.host, "refused")


def _text(answer: Any) -> str:
    """The text of the first choice, whole or in parts. Raises ValueError when there is none."""
    try:
        content = answer["choices"][0]["message"]["content"]
        if isinstance(content, list):
            content = "".join(map(_text_of, content)) or None
    except (TypeError, LookupError):
        content = None
    if not isinstance(content, str):
        raise ValueError("no text")
    return content


def _text_of(part: Any) -> str:
    """Empty for a part of another kind, such as thoughts."""
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _counted(answer: Any, name: str, otherwise: int) -> int:
    usage = answer.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MOST_TOKENS:
        return count
    return otherwise
