"""eth-tester behind JSON-RPC, for where anvil is not installed."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from eth_tester import EthereumTester, PyEVMBackend
from web3 import EthereumTesterProvider, Web3
from web3.datastructures import NamedElementOnion

RICH_WEI = 10**20


@contextmanager
def tester(poor: Sequence[str]) -> Iterator[str]:
    """The URL of a chain in this process, on which these addresses are rich in gas.

    One chain id only, everything mined at once.
    """
    backend = EthereumTester(PyEVMBackend())
    for address in poor:
        gift = {"from": backend.get_accounts()[0], "to": address, "value": RICH_WEI}
        backend.send_transaction({**gift, "gas": 21_000, "gas_price": 10**10})
    provider = EthereumTesterProvider(backend)
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
