"""Records that are paid for as nodes find and judge them."""
