"""Asks every question of a file, eight at a time, and prints each answer as a line of JSON.

Run: python examples/many_searches.py questions.txt > answers.jsonl

A server with too much to do refuses a search and says when to come back. The client waits and tries
again by itself, here for up to ten minutes a call (docs/reference/limits.md).
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from citegrid import AsyncClient, CitegridError, Policy

AT_ONCE = 8
PATIENT = Policy(deadline_seconds=600, retries=50)


async def main(questions: list[str]) -> int:
    """Returns how many questions could not be asked."""
    at_once = asyncio.Semaphore(AT_ONCE)
    failed = 0
    async with AsyncClient(policy=PATIENT) as client:

        async def ask(question: str) -> dict[str, Any]:
            async with at_once:
                try:
                    result = await client.searches.ask(question)
                except CitegridError as error:
                    return {"question": question, "error": error.code}
            quotes = [citation.quote for citation in result.citations]
            return {"question": question, "answer": result.answer, "quotes": quotes}

        for finished in asyncio.as_completed([ask(question) for question in questions]):
            line = await finished
            failed += "error" in line
            print(json.dumps(line), flush=True)
    return failed


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    failed = asyncio.run(main([line for line in lines if line.strip()]))
    if failed:
        sys.exit(f"{failed} questions could not be asked.")
