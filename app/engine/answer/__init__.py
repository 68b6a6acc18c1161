"""Answers from stored text: cited sentences, abstention, and how good a source is."""
