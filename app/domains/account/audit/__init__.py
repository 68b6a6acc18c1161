"""The audit log: what owners did in their accounts, what operators did, and when."""
