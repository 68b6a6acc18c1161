"""Language models the operator configured: asked in JSON, within time and tokens, never trusted."""
