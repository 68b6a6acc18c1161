"""The account that sends settlements, safe against faults of the node that it sends them through.

The packaged signer counts transaction numbers by itself: one failed send leaves a gap in front of
every later transaction until a restart. This one asks the chain each time, one sender at a time.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final

from eth_account.signers.local import LocalAccount
from web3 import Web3
from web3.exceptions import Web3RPCError
from x402.mechanisms.evm import FacilitatorWeb3Signer

GAS_LIMIT: Final = 500_000  # as the package's own: a token behind a proxy with hooks fits
Exposure = Callable[[str | None], None]


class ChainReader(FacilitatorWeb3Signer):  # type: ignore[misc] # not typed
    """Reads the chain without an account; calls that would send raise."""

    _account: LocalAccount

    def __init__(self, w3: Web3, nobody: LocalAccount) -> None:
        """`nobody` only appears as the sender of simulated calls."""
        self._w3, self._account, self._chain_id = w3, nobody, None

    def write_contract(self, *args: Any, **options: Any) -> str:
        raise NotImplementedError("a reader sends nothing")

    def send_transaction(self, to: str, data: bytes) -> str:
        raise NotImplementedError("smart wallets are not deployed for anybody")


class Sender(ChainReader):
    """Sends one settlement; `alone` keeps every other sender with this account out."""

    def __init__(
        self,
        w3: Web3,
        account: LocalAccount,
        *,
        alone: Callable[[], AbstractContextManager[None]],
        on_exposure: Exposure,
        receipt_seconds: float,
    ) -> None:
        super().__init__(w3, account)
        self._alone, self._on_exposure = alone, on_exposure
        self._gas_limit = GAS_LIMIT
        self._confirmation_timeout_seconds = receipt_seconds

    def write_contract(
        self,
        address: str,
        abi: list[dict[str, Any]],
        function_name: str,
        *args: Any,
        data_suffix: str | None = None,
    ) -> str:
        """Build, sign, tell, send; returns the hash, also when nobody knows whether it was sent."""
        contract = self._w3.eth.contract(address=Web3.to_checksum_address(address), abi=abi)
        call = getattr(contract.functions, function_name)(*args)
        with self._alone():
            transaction = call.build_transaction(
                {
                    "from": self._account.address,
                    "nonce": self._w3.eth.get_transaction_count(self._account.address, "pending"),
                    "gas": self._gas_limit,
                    "gasPrice": self._w3.eth.gas_price,
                }
            )
            signed = self._account.sign_transaction(transaction)
            name = "0x" + bytes(signed.hash).hex()
            self._on_exposure(name)
            self._send(bytes(signed.raw_transaction))
        return name

    def _send(self, raw: bytes) -> None:
        """A refusal by the node raises; a fault on the way says nothing: the receipt decides."""
        try:
            self._w3.eth.send_raw_transaction(raw)
        except Web3RPCError as error:
            if "already known" not in str(error).lower():
                raise
        except OSError:
            return
