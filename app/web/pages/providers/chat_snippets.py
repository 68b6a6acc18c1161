"""A chat with one offer at its price, as lines that take it as they stand."""

import json
import shlex
from typing import Any, Final

QUESTION: Final = "Why is the sky blue?"
_CURL: Final = """\
curl {url} \\
  -H "Authorization: Bearer $SERVICE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d {body}"""
_PYTHON: Final = """\
import os

import openai  # pip install openai

client = openai.OpenAI(base_url={base!r}, api_key=os.environ["SERVICE_API_KEY"])

answer = client.chat.completions.create(
    model={model!r},
    messages=[{{"role": "user", "content": {question!r}}}],
    max_tokens=200,
    extra_body={{"provider_selection": {selection!r}}},
)
print(answer.choices[0].message.content)
print(answer.usage.cost, "USD")"""


def of_offer(offer: dict[str, Any], base_url: str) -> list[tuple[str, str, str]]:
    """Title, language and text of each. Names come from providers: they are quoted for each."""
    selection = {name: offer[name] for name in ("offer_id", "pricing_revision")}
    return [
        ("curl", "sh", _curl(offer["model"], selection, base_url)),
        ("Python", "python", _python(offer["model"], selection, base_url)),
        ("Command line", "sh", _command(offer["model"], selection)),
    ]


def _curl(model: str, selection: dict[str, Any], base_url: str) -> str:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": QUESTION}],
        "max_tokens": 200,
        "provider_selection": selection,
    }
    fields = [f"  {_json(name)}: {_json(value)}" for name, value in body.items()]
    text = "{\n" + ",\n".join(fields) + "\n}"
    url = shlex.quote(f"{base_url}/v1/chat/completions")
    return _CURL.format(url=url, body=shlex.quote(text))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _python(model: str, selection: dict[str, Any], base_url: str) -> str:
    return _PYTHON.format(
        base=f"{base_url}/v1", model=model, question=QUESTION, selection=selection
    )


def _command(model: str, selection: dict[str, Any]) -> str:
    parts = ["citegrid", "chat", "--model", model, "--offer", selection["offer_id"]]
    parts += ["--revision", str(selection["pricing_revision"]), "--max-tokens", "200", QUESTION]
    return shlex.join(parts)
