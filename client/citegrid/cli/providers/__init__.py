"""Commands of offers, nodes and chats."""
