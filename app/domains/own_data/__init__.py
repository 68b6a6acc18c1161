"""What an account did, used and has: shown, exported, erased."""
