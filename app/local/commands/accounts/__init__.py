"""Commands of accounts, their keys and their credit."""
