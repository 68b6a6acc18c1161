"""Pages of offers, providers and nodes."""
