"""The interface as a document: OpenAPI, examples, lines of curl."""
