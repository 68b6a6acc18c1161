"""Where the server is and who asks."""
