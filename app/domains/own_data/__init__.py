"""The data of an account: what it did, used and has; shown, exported, erased."""
