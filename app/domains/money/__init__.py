"""Balances, and payments that fill them."""
