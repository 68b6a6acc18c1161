"""The judging of records: who is drawn, when votes decide, and what they say of who cast them."""
