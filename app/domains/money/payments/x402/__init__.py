"""Payments by x402 (version 2). Whatever is imported from here, the recursion limit stays."""

import sys

_limit = sys.getrecursionlimit()
import web3  # noqa: E402, F401

sys.setrecursionlimit(_limit)  # a library below web3 raises it to 100,000
