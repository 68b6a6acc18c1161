"""Checks that quotes bear out a sentence that a model wrote."""
