"""From what was read of a page to records, each value with its quote."""
