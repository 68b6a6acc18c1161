"""Records read with a model beside those of the rules alone: F1, precision, tokens, calls, cost.

`python -m bench.extract.with_model --url http://127.0.0.1:11434/v1 --model NAME` asks any endpoint
that speaks OpenAI's language, as a job with a configured model does: only for fields that the rules
left empty or unsure, and a value counts only with a quote of the page. Prices are of a million
tokens. Recipe pages of a half as they are and without structured data, and SWDE's alone.

`--scripted` asks a script on loopback that always takes the first reading the rules offer. It shows
that the way works, and what it costs; it is no model.
"""

import argparse
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from app.engine.extraction.records.model_fill import Budget, FillUsage, complete
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.models.chat import ChatModel
from bench.extract.data import (
    RECIPE,
    RECIPES,
    SWDE,
    Page,
    half,
    recipes,
    swde,
    swde_schema,
    without_structure,
)
from bench.extract.quality import add, read
from bench.extract.scoring import Scores
from tests.scripted_model import scripted_model

_BUDGET: Final = Budget(tokens=10_000_000, input_tokens=8_000, output_tokens=2_000, seconds=120.0)
_ASKED: Final = re.compile(r"record (\d+), field (\S+): .*\n {2}candidate (\d+): (.*)")
Asked = tuple[Plan, Page]


def sets(which: str, most: int) -> Iterator[tuple[str, list[Asked]]]:
    """The pages by set, each with what is asked of it."""
    wanted = plan(RECIPE)
    if RECIPES.exists():
        pages = [page for page in recipes() if half(page.site) == which][:most]
        yield "recipes", [(wanted, page) for page in pages]
        yield (
            "recipes, stripped",
            [(wanted, Page(p.site, p.url, without_structure(p.markup), p.truth)) for p in pages],
        )
    if SWDE.exists():
        sites = [site for site in swde().items() if half(site[0]) == which]
        found = [(plan(swde_schema(site)), page) for site, pages in sites for page in pages]
        yield "SWDE, alone", found[:: max(1, len(found) // most)][:most]


def judge(name: str, asked: Sequence[Asked], model: ChatModel, prices: tuple[float, float]) -> str:
    """A line of the table."""
    alone, filled, usage, warnings = Scores(), Scores(), FillUsage(), set[str]()
    for wanted, page in asked:
        result = read(page, wanted)
        add(alone, page, result.records if result else ())
        done = complete(result, wanted, model, _BUDGET, url=page.url) if result else None
        add(filled, page, done.page.records if done else ())
        if done:
            _count(usage, done.usage)
            warnings.update(done.warnings)
    cost = usage.cost(*prices)
    cells = (
        name,
        len(asked),
        f"{alone.macro:.3f}",
        f"{filled.macro:.3f}",
        f"{alone.all.precision:.3f}",
        f"{filled.all.precision:.3f}",
        usage.calls,
        f"{usage.tokens / max(1, len(asked)):.0f}",
        "–" if cost is None else f"{cost / max(1, len(asked)):.5f}",
        f"{usage.filled} + {usage.agreed} - {usage.dropped}",
        "; ".join(sorted(warnings)) or "–",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _count(total: FillUsage, more: FillUsage) -> None:
    for name in ("calls", "input_tokens", "output_tokens", "filled", "agreed", "dropped"):
        setattr(total, name, getattr(total, name) + getattr(more, name))


@contextmanager
def first_readings() -> Iterator[str]:
    """The address of a script that takes the first reading of each field it is asked for."""

    def answer(asked: dict[str, Any]) -> str:
        values: dict[tuple[str, str], dict[str, Any]] = {}
        for record, field, candidate, quote in _ASKED.findall(asked["messages"][-1]["content"]):
            said = {"value": quote, "quote": quote, "before": "", "after": ""}
            value = {"record": int(record), "field": field, "candidate": int(candidate), **said}
            values.setdefault((record, field), value)
        return json.dumps({"values": list(values.values())})

    with scripted_model(answer) as endpoint:
        yield endpoint.url


def table(model: ChatModel, which: str, most: int, prices: tuple[float, float]) -> None:
    print(f"{model!r}")
    print(
        "| pages | number | F1 rules | F1 with it | precision rules | with it | calls "
        "| tokens a page | cost a page | filled + agreed - dropped | warnings |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, asked in sets(which, most):
        print(judge(name, asked, model, prices), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--url", help="the base address of an endpoint, such as http://host:8080/v1")
    where.add_argument("--scripted", action="store_true", help="ask a script, to see that it works")
    parser.add_argument("--model", default="scripted", help="its name there")
    parser.add_argument("--key", default="OPENAI_API_KEY", help="variable that holds the key")
    parser.add_argument("--half", choices=("fit", "judged"), default="judged")
    parser.add_argument("--pages", type=int, default=50, help="the most pages of a set")
    parser.add_argument("--input-price", type=float, default=0.0)
    parser.add_argument("--output-price", type=float, default=0.0)
    chosen = parser.parse_args()
    prices = chosen.input_price, chosen.output_price
    if chosen.scripted:
        with first_readings() as url:
            table(ChatModel(url, chosen.model), chosen.half, chosen.pages, prices)
        return
    key = os.environ.get(chosen.key, "")
    model = ChatModel(chosen.url, chosen.model, api_key=key, max_output_tokens=2_000)
    table(model, chosen.half, chosen.pages, prices)


if __name__ == "__main__":
    main()
