"""`citegrid credits` over answers that tests make up."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn

import httpx
import pytest
from answers import COMPLETED, refusal
from click.testing import CliRunner, Result
from conftest import Run

from citegrid import Client
from citegrid.cli import command, payment
from citegrid.cli.exits import Exit
from citegrid.cli.main import commands
from citegrid.errors import StillRunning
from citegrid.nouns.account.credits import BoughtCredit
from citegrid.nouns.search.search_results import Search
from citegrid.profiles import saved, settings
from citegrid.profiles.saved import SavedProfile
from citegrid.transport.codec import decode

CREDITS: dict[str, Any] = {
    "balances": [{"token": "USD", "available": "24.999991", "held": "0"}],
    "entries": [
        {
            "id": "entry_a",
            "token": "USD",
            "amount": "-0.000000001",
            "why": "reserved for a chat",
            "key": "hold:a",
            "posted_at": "2026-11-22T13:11:02Z",
        }
    ],
    "has_more": False,
    "next_cursor": None,
}
BASE_URL = "https://citegrid.example.org"
RECEIPT = Path("payments/a.json")
REFRESHED = {
    "access_token": "cga_refreshed",
    "refresh_token": "cgr_refreshed",
    "token_type": "Bearer",
    "expires_in": 3600,
}
ACCOUNT = {
    "account": {"id": "acct_a", "email": "a@example.org", "created_at": "2026-11-21T09:00:00Z"},
    "credit": [],
}


def credit(**changes: Any) -> httpx.Response:
    return httpx.Response(200, json={**CREDITS, **changes})


def test_a_balance_and_its_entries_are_shown_to_the_last_unit_with_the_next_page(run: Run) -> None:
    done = run(credit(has_more=True, next_cursor="entry_a"), "credits", "show")
    assert (
        done.stdout == "24.999991 USD\n2026-11-22 13:11\t-0.000000001\tUSD\treserved for a chat\n"
    )
    assert "credits show --cursor entry_a" in done.stderr


def test_credit_is_shown_as_json_with_its_amounts_as_text(run: Run) -> None:
    (balance,) = json.loads(run(credit(), "credits", "show", "--json").stdout)["balances"]
    assert balance == {"token": "USD", "available": "24.999991", "held": "0"}


class Paid:
    """Stands for the client that pays; `made` is what it was asked."""

    made: ClassVar[list[tuple[Any, ...]]] = []

    def __init__(self, url: str, handler: str = "", **_: Any) -> None:
        self.made.append((url, handler))

    def __enter__(self) -> "Paid":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing."""

    def buy_credit(self, amount: str, *, access_token: str) -> tuple[BoughtCredit, None]:
        self.made.append((amount, access_token))
        return BoughtCredit("pay_a", Decimal(amount), "USD", "completed"), None

    def resume_credit(self, _context: Any, *, access_token: str) -> tuple[BoughtCredit, None]:
        self.made.append(("resumed", access_token))
        return BoughtCredit("pay_a", Decimal(5), "USD", "completed"), None

    def resume(self, _context: Any) -> tuple[None, Any]:
        return None, SimpleNamespace(search_id="srch_a")

    def wait_for_search_completion(self, _id: str, **_: Any) -> Search:
        return decode(Search, COMPLETED)


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refreshes a session whose access token has ended, as the saved one has."""
    transport = httpx.MockTransport(_account)
    monkeypatch.setattr(command, "Client", partial(Client, transport=transport))


@pytest.fixture
def payments(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Stands for the wallet and its chain: what `citegrid credits buy` asked to pay for."""
    made = Paid.made = []
    wallet = SimpleNamespace(from_env=lambda urls, max_amount: f"at most {max_amount}")
    module = SimpleNamespace(
        PaidClient=Paid, PaymentHandler=wallet, context_saver=lambda *_: None, ask_paid=_too_late
    )
    monkeypatch.setattr(payment, "optional", lambda _name, extra: module)
    monkeypatch.setenv("SERVICE_BASE_URL", BASE_URL)
    monkeypatch.setenv("PAYER_RPC_URLS", '{"eip155:8453": "http://127.0.0.1:1"}')
    return made


def _too_late(*_: object, on_paying: Callable[..., None], **__: object) -> NoReturn:
    on_paying(RECEIPT, SimpleNamespace(amount="1", asset="0x0"))
    raise StillRunning("srch_a")


def _account(request: httpx.Request) -> httpx.Response:
    """The account, for an access token that was refreshed."""
    if request.url.path == "/v1/tokens/refresh":
        return httpx.Response(201, json=REFRESHED)
    if request.headers["Authorization"] == "Bearer cga_refreshed":
        return httpx.Response(200, json=ACCOUNT)
    return refusal(401, "auth_expired_token")


@pytest.fixture
def signed_in() -> None:
    tokens = SavedProfile(BASE_URL, access_token="cga_ended", refresh_token="cgr_secret")
    saved.save(settings.folder(), saved.DEFAULT, tokens)


def buy(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["credits", "buy", *arguments], prog_name="citegrid")


@pytest.mark.usefixtures("signed_in")
def test_credit_is_bought_by_who_is_signed_in_and_up_to_what_they_allow(
    payments: list[tuple[Any, ...]],
) -> None:
    done = buy("5.50", "--max-amount", "6")
    assert payments == [(BASE_URL, "at most 6"), ("5.50", "cga_refreshed")]
    assert done.stdout == "5.50 USD: completed\n"


@pytest.mark.usefixtures("payments")
def test_a_paid_search_that_goes_on_is_resumed_with_its_receipt() -> None:
    arguments = ["ask", "--pay", "--timeout", "1", "Eggs?"]
    done = CliRunner().invoke(commands, arguments, prog_name="citegrid")
    assert (done.exit_code, "search wait" in done.stderr) == (Exit.TIMEOUT, False)
    assert done.stderr.endswith(f"try:  citegrid search resume {RECEIPT}\n")


@pytest.mark.parametrize("option", ["--in=notes", "--persona=ada", "--detach"])
def test_what_no_paid_search_has_is_refused_before_anything_is_paid(
    payments: list[tuple[Any, ...]], option: str
) -> None:
    done = CliRunner().invoke(commands, ["ask", "--pay", option, "Eggs?"], prog_name="citegrid")
    assert (done.exit_code, "--pay goes without" in done.stderr) == (Exit.USAGE, True)
    assert payments == []


@pytest.fixture
def receipt(
    payments: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> str:
    """The file of a payment."""
    paid = SimpleNamespace(base_url=BASE_URL, search_id=None)
    module = payment.optional("citegrid.paid", extra="paid")
    monkeypatch.setattr(module, "PaymentContext", SimpleNamespace(load=lambda _path: paid), False)
    (tmp_path / "receipt.json").write_text("{}")
    return str(tmp_path / "receipt.json")


def test_a_search_that_was_paid_for_is_resumed_by_its_receipt(receipt: str) -> None:
    done = CliRunner().invoke(commands, ["search", "resume", receipt], prog_name="citegrid")
    assert (done.exit_code, COMPLETED["result"]["answer"] in done.stdout) == (Exit.DONE, True)


@pytest.mark.usefixtures("signed_in")
def test_a_purchase_of_credit_is_resumed_by_its_receipt(
    payments: list[tuple[Any, ...]], receipt: str
) -> None:
    done = CliRunner().invoke(commands, ["credits", "resume", receipt], prog_name="citegrid")
    assert done.stdout == "5 USD: completed\n"
    assert payments[1:] == [("resumed", "cga_refreshed")]


@pytest.mark.usefixtures("signed_in")
def test_without_a_chain_nothing_is_paid(
    payments: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAYER_RPC_URLS")
    done = buy("5")
    assert (done.exit_code, payments) == (1, [])
    assert "PAYER_RPC_URLS" in done.stderr


def test_an_api_key_buys_nothing(
    payments: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_secret")
    done = buy("5")
    assert (done.exit_code, payments) == (Exit.AUTHENTICATION, [])
    assert "citegrid login" in done.stderr


@pytest.mark.usefixtures("signed_in")
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        *(
            (("5", "--max-amount", most), 1, "positive number")
            for most in ("abc", "NaN", "0", "-1")
        ),
        (("five",), Exit.USAGE, "amount must be a number"),
    ],
)
def test_an_amount_or_limit_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, told: str
) -> None:
    monkeypatch.setenv("PAYER_PRIVATE_KEY", "1" * 64)
    monkeypatch.setenv("PAYER_RPC_URLS", '{"eip155:8453": "https://rpc.example.org"}')
    done = buy(*arguments)
    assert (done.exit_code, told in done.stderr) == (code, True)
