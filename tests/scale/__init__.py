"""Many machines in one: network namespaces, servers that fail over, floods. `make test-scale`."""
