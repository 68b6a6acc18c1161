"""The operator's commands for offers and editions, over a real database."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import Result

from app.core import db
from app.domains.providers.providers import service
from app.domains.providers.providers.offer_store import OwnOffer
from tests import builders
from tests.integration.local.conftest import Run

LINE: dict[str, Any] = {
    "account": "ada@example.org",
    "device_id": "cellar-1",
    "model": "example/model-7b",
    "model_revision": "r1",
    "rates": {"input": "0.25", "output": "1.5"},
    "public_name": "Cellar",
}


@pytest.fixture
def ada(database: str) -> UUID:
    with db.transaction() as tx:
        return builders.account(tx, "ada@example.org")


def imported(run: Run, *lines: dict[str, Any] | str) -> Result:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return run("offers", "import", "-", typed="\n".join(texts))


def own(account_id: UUID) -> list[OwnOffer]:
    with db.reading() as reader:
        return service.own_offers(reader, account_id, None).offers


def test_offers_are_made_unpublished(run: Run, ada: UUID) -> None:
    done = imported(run, LINE, "", LINE | {"device_id": "cellar-2"})
    assert (done.exit_code, done.output) == (
        0,
        "2 offers made, 0 there before, 0 at a new price.\n",
    )
    offers = [(o.device_id, o.published, o.pricing_revision, o.availability) for o in own(ada)]
    assert offers == [("cellar-1", False, 1, "offline"), ("cellar-2", False, 1, "offline")]


def test_another_rate_is_the_next_price(run: Run, ada: UUID) -> None:
    imported(run, LINE)
    done = imported(run, LINE, LINE | {"rates": {"input": "1", "output": "1"}})
    assert done.output == "0 offers made, 2 there before, 1 at a new price.\n"
    assert own(ada)[0].pricing_revision == 2


def test_what_the_device_says_is_kept(run: Run, ada: UUID, tmp_path: Path) -> None:
    with db.reading() as reader:
        now = db.value(reader, "select now()").isoformat()
    file = tmp_path / "offers.jsonl"
    file.write_text(json.dumps(LINE | {"in_flight": 2, "capacity": 2, "seen_at": now}))
    assert run("offers", "import", str(file)).exit_code == 0
    assert [offer.availability for offer in own(ada)] == ["busy"]


def test_one_bad_line_saves_nothing_and_every_problem_is_named(run: Run, ada: UUID) -> None:
    broken = [LINE | {"capacity": 0}, "{", "[]", LINE | {"account": None}, LINE | {"x": 1}]
    done = imported(run, LINE, *broken)
    assert done.exit_code == 1
    assert done.output.splitlines() == [
        "Error: No offers saved.",
        "  line 2: capacity: Must be a whole number, at least 1.",
        "  line 3: Not a JSON object.",
        "  line 4: Not a JSON object.",
        "  line 5: account: Must be the e-mail of an account.",
        "  line 6: x: Unknown field.",
    ]
    assert own(ada) == []


def test_an_account_that_is_not_there_saves_nothing(run: Run, ada: UUID) -> None:
    done = imported(run, LINE, LINE | {"account": "eve@example.org"})
    assert "line 2: account: No account has this e-mail." in done.output
    assert own(ada) == []


def test_of_many_problems_the_first_are_shown(run: Run, database: str) -> None:
    assert imported(run, *["{"] * 30).output.endswith(
        "line 20: Not a JSON object.\n  and 10 more\n"
    )


def test_editions_are_enabled_listed_and_disabled(run: Run, database: str) -> None:
    assert run("editions", "enable", "m", "r1").output == "m r1: enabled.\n"
    assert run("editions", "enable", "m", "r1").output == "m r1: already enabled.\n"
    assert run("editions", "list").output == "m  r1\n"
    listed = json.loads(run("editions", "list", "--json").output)
    assert listed == [{"model": "m", "revision": "r1"}]
    assert run("editions", "disable", "m", "r1").output == "m r1: disabled.\n"
    assert run("editions", "disable", "m", "r1").output == "m r1: was not enabled.\n"
    assert "No enabled revisions" in run("editions", "list").output
