"""A chain of its own for a test: anvil where it is installed, eth-tester otherwise.

`make anvil` installs anvil below `.node`, where Node is present.
"""

import json
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_tester import EthereumTester, PyEVMBackend
from web3 import EthereumTesterProvider, Web3
from web3.datastructures import NamedElementOnion

from tests.servers import until

ROOT = Path(__file__).parents[2]
ARTIFACT = json.loads((Path(__file__).parent / "Token.json").read_text(encoding="utf-8"))
MNEMONIC = "test test test test test test test test test test test junk"
RICH_WEI = 10**20

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
        self.w3 = Web3(Web3.HTTPProvider(url))
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
        then = self.w3.eth.get_block("latest")["timestamp"] + seconds
        self.w3.manager.request_blocking("evm_setNextBlockTimestamp", [then])
        self.w3.manager.request_blocking("evm_mine", [])


@contextmanager
def chain(chain_id: int = 31337) -> Iterator[Chain]:
    """A fresh chain; the development accounts are rich in gas, the token is deployed."""
    program = anvil()
    with _anvil(program, chain_id) if program else _tester() as url:
        yield Chain(url)


@contextmanager
def _anvil(program: Path, chain_id: int) -> Iterator[str]:
    port = _free_port()
    command = [program, "--port", str(port), "--chain-id", str(chain_id), "--silent"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            until(lambda: _answers(url))
            yield url
        finally:
            process.terminate()


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
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _tester() -> Iterator[str]:
    """eth-tester behind JSON-RPC: one chain id only, everything mined at once."""
    tester = EthereumTester(PyEVMBackend())
    for poor in (DEPLOYER, GAS, PAYER, MERCHANT, STRANGER):
        gift = {"from": tester.get_accounts()[0], "to": poor.address, "value": RICH_WEI}
        tester.send_transaction({**gift, "gas": 21_000, "gas_price": 10**10})
    provider = EthereumTesterProvider(tester)
    w3, lock = Web3(provider), threading.Lock()
    # Only the provider's own translation: the web3 at the other end has its middleware.
    ask = provider.request_func(w3, NamedElementOnion([]))

    class Door(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Says nothing."""

        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                said = _asked(w3, ask, question["method"], question["params"])
            body = json.dumps({"jsonrpc": "2.0", "id": question["id"], **said}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def _asked(w3: Web3, ask: Any, method: str, params: Any) -> dict[str, Any]:
    if method == "evm_setNextBlockTimestamp":
        w3.provider.ethereum_tester.time_travel(params[0])  # type: ignore[attr-defined]
        return {"result": None}
    if method == "evm_mine":
        w3.provider.ethereum_tester.mine_block()  # type: ignore[attr-defined]
        return {"result": None}
    if method == "eth_call":  # which eth-tester charges for, unlike any node
        params[0]["from"] = w3.provider.ethereum_tester.get_accounts()[0]  # type: ignore[attr-defined]
    try:
        said = ask(method, params)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is the node's answer)
        return {"error": {"code": 3, "message": f"execution reverted: {error}"}}
    if said.get("error") is not None:
        return {"error": said["error"]}
    return {"result": _plain(said.get("result"))}


def _plain(value: Any) -> Any:
    """In JSON-RPC's types: numbers and bytes are hexadecimal."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, bytes | bytearray):
        return "0x" + bytes(value).hex()
    if hasattr(value, "items"):
        return {key: _plain(child) for key, child in value.items()}
    return [_plain(child) for child in value]
