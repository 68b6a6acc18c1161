"""Parsers of what strangers send, fed with whatever a fuzzer thinks of: `make fuzz-parsers`."""
