"""Chats with a model of a provider through Citegrid, using the official OpenAI client.

Run: python examples/openai_chat.py example/model-7b "Why is the sky blue?"

It needs `pip install openai`, and in SERVICE_API_KEY a key with the scope `chat` of an account with
credit. The provider's computer reads what you send: send nothing that the provider must not know.
"""

import os
import sys

from openai import APIError, OpenAI

MAX_PRICE = {"input": "1", "output": "3"}  # in USD per million tokens


def main(model: str, question: str) -> None:
    client = OpenAI(
        base_url=os.environ.get("SERVICE_BASE_URL", "http://127.0.0.1:8000") + "/v1",
        api_key=os.environ["SERVICE_API_KEY"],
    )
    chunks = client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": question}],
        max_tokens=500,
        stream=True,
        extra_body={"max_price": MAX_PRICE},
    )
    for chunk in chunks:
        if chunk.choices:
            print(chunk.choices[0].delta.content or "", end="", flush=True)
        if chunk.usage:
            print(f"\nIt cost {chunk.usage.to_dict()['cost']} USD.", file=sys.stderr)


if __name__ == "__main__":
    try:
        main(sys.argv[1], " ".join(sys.argv[2:]))
    except APIError as error:
        sys.exit(f"{error.code}: {error.message}")
