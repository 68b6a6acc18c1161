"""The other ends of a chat for benchmarks: a fake backend, a minimal node, clients."""
