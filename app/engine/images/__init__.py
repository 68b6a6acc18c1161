"""Pictures from strangers: judged by their bytes, then decoded in a confined child process."""
