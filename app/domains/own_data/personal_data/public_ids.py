"""The prefix of public ids of exports."""

PREFIX = "exp"
