"""Documents of strangers, read and prepared in a child process that is limited and confined."""
