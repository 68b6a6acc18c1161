"""The server of Citegrid."""

__version__ = "0.1.0"
