"""Reads a token contract, and whether it is what its signatures are made for."""

from dataclasses import dataclass
from typing import Any, Final

from eth_abi import encode
from web3 import Web3

_DOMAIN: Final = Web3.keccak(
    text="EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)


def _view(name: str, kind: str, *inputs: str) -> dict[str, Any]:
    return {
        "type": "function",
        "name": name,
        "stateMutability": "view",
        "inputs": [{"name": "", "type": each} for each in inputs],
        "outputs": [{"name": "", "type": kind}],
    }


_ABI: Final = [
    _view("name", "string"),
    _view("version", "string"),
    _view("decimals", "uint8"),
    _view("DOMAIN_SEPARATOR", "bytes32"),
]


@dataclass(frozen=True, slots=True)
class Token:
    """Read, never guessed: the same token has another EIP-712 name on another chain."""

    address: str
    name: str
    version: str
    decimals: int
    domain_separator: bytes

    @classmethod
    def read(cls, w3: Web3, address: str) -> "Token":
        """Raises what web3 raises, also when there is no such contract."""
        contract: Any = w3.eth.contract(address=Web3.to_checksum_address(address), abi=_ABI)
        ask = contract.functions
        return cls(
            address=address,
            name=ask.name().call(),
            version=ask.version().call(),
            decimals=ask.decimals().call(),
            domain_separator=bytes(ask.DOMAIN_SEPARATOR().call()),
        )

    def domain_fits(self, chain_id: int) -> bool:
        """True if name, version, chain and address make its DOMAIN_SEPARATOR (EIP-712)."""
        encoded = encode(
            ["bytes32", "bytes32", "bytes32", "uint256", "address"],
            [
                _DOMAIN,
                Web3.keccak(text=self.name),
                Web3.keccak(text=self.version),
                chain_id,
                self.address,
            ],
        )
        return bytes(Web3.keccak(encoded)) == self.domain_separator
