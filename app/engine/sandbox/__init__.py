"""Untrusted documents, read and prepared in a child process that is limited and confined."""
