"""What a million waiting jobs cost: `python -m bench.capacity`."""
