"""A chain of its own for a test: anvil where it is installed, eth-tester otherwise.

`make anvil` installs anvil below `.node`, where Node is present.
"""

import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from web3 import Web3
from web3.types import RPCEndpoint

from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port
from tests.servers import until

ROOT = Path(__file__).parents[2]
ARTIFACT = json.loads((Path(__file__).parent / "Token.json").read_text(encoding="utf-8"))
MNEMONIC = "test test test test test test test test test test test junk"

Account.enable_unaudited_hdwallet_features()


def account(number: int) -> LocalAccount:
    """A well-known development key, worthless by design."""
    found: LocalAccount = Account.from_mnemonic(MNEMONIC, account_path=f"m/44'/60'/0'/0/{number}")
    return found


DEPLOYER, GAS, PAYER, MERCHANT, STRANGER = (account(number) for number in range(5))


def anvil() -> Path | None:
    """The program, or None where it is not installed."""
    found = sorted((ROOT / ".node").glob("node_modules/@foundry-rs/anvil-*/bin/anvil"))
    return found[0] if found else None


class Chain:
    """A running chain with the tests' token; `url` is its RPC."""

    def __init__(self, url: str, called: str = "Test Dollar") -> None:
        self.url = url
        once = {RPCEndpoint("eth_chainId")}
        self.w3 = Web3(Web3.HTTPProvider(url, cache_allowed_requests=True, cacheable_requests=once))
        self.network = f"eip155:{self.w3.eth.chain_id}"
        self._constructor = self.w3.eth.contract(
            abi=ARTIFACT["abi"], bytecode=ARTIFACT["bytecode"]
        ).constructor(called)
        receipt = self.send(self._constructor, DEPLOYER)
        self.token = self.w3.eth.contract(address=receipt["contractAddress"], abi=ARTIFACT["abi"])

    def send(self, call: Any, by: LocalAccount = DEPLOYER) -> Any:
        """Have a call mined; its receipt."""
        transaction = call.build_transaction(
            {
                "from": by.address,
                "nonce": self.w3.eth.get_transaction_count(by.address),
                "gas": 2_000_000,
                "gasPrice": 10**10,
                "chainId": self.w3.eth.chain_id,
            }
        )
        signed = by.sign_transaction(transaction)
        name = self.w3.eth.send_raw_transaction(signed.raw_transaction)
        return self.w3.eth.wait_for_transaction_receipt(name, timeout=10)

    def mint(self, to: LocalAccount, amount: int) -> None:
        self.send(self.token.functions.mint(to.address, amount))

    def balance(self, of: LocalAccount) -> int:
        return int(self.token.functions.balanceOf(of.address).call())

    def sent(self, by: LocalAccount = GAS) -> int:
        """How many transactions an account has sent."""
        return int(self.w3.eth.get_transaction_count(by.address))

    def travel(self, seconds: int) -> None:
        """Let the chain's clock be so much later."""
        self._mine_at(self.w3.eth.get_block("latest")["timestamp"] + seconds)

    @contextmanager
    def undone(self) -> Iterator[Self]:
        """The chain of now; what happens to it in the block is undone, its clock too."""
        kept = self.w3.manager.request_blocking("evm_snapshot", [])
        yield self
        self.w3.manager.request_blocking("evm_revert", [kept])

    def catch_up(self) -> None:
        """A chain on which nothing has happened for a while is behind the clock on the wall."""
        latest = self.w3.eth.get_block("latest")["timestamp"]
        self._mine_at(max(int(time.time()), latest + 1))

    def _mine_at(self, timestamp: int) -> None:
        self.w3.manager.request_blocking("evm_setNextBlockTimestamp", [timestamp])
        self.w3.manager.request_blocking("evm_mine", [])


@contextmanager
def chain(chain_id: int = 31337) -> Iterator[Chain]:
    """A fresh chain; the development accounts are rich in gas, the token is deployed."""
    program = anvil()
    with _anvil(program, chain_id) if program else _in_python() as url:
        yield Chain(url)


@contextmanager
def _anvil(program: Path, chain_id: int) -> Iterator[str]:
    port = free_port()
    command = [program, "--port", str(port), "--chain-id", str(chain_id), "--silent"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            until(lambda: _answers(url))
            yield url
        finally:
            process.terminate()


def _in_python() -> AbstractContextManager[str]:
    """By name: what it needs is installed for Python 3.11 only, and slow to import."""
    if find_spec("eth_tester") is None:
        pytest.skip("a chain needs anvil (make anvil, which needs Node) or eth-tester")
    running: AbstractContextManager[str] = import_module("tests.chains.tester").tester(
        [each.address for each in (DEPLOYER, GAS, PAYER, MERCHANT, STRANGER)]
    )
    return running


def _answers(url: str) -> bool:
    question = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
    try:
        call(url, question)
    except OSError:
        return False
    return True


def call(url: str, question: Any) -> Any:
    """One JSON-RPC request."""
    body = json.dumps(question).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        return json.load(answer)
