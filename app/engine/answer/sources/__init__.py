"""How sources stand to each other: copies, support, contradiction."""
