"""Requests and answers on the wire: sync and async, streams, JSON."""
