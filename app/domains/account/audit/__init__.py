"""Who did what, when: what owners did in their accounts, and what operators did."""
