"""What the release before writes: it comes into the audit log by a trigger."""
