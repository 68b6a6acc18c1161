"""The whole product under mixed work, while everything it stands on fails: test-faults-full."""
