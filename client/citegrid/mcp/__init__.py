"""Tools for agent hosts (Model Context Protocol) over the client library; needs the extra `mcp`."""
