"""The relations between sources: copies, support, contradiction."""
