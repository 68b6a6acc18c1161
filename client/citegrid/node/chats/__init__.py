"""Chats: a backend of models is asked, and its answer passed on in batches."""
