"""The commands that answer questions about a scenario: explain, size-buffer, tune and choose."""
