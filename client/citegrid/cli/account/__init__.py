"""Commands of the account."""
