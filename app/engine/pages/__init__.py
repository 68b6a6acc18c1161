"""Bytes in, canonical page out: reading documents, and cutting them into passages and sentences."""
