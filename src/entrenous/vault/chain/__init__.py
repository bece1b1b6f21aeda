"""The file of a vault: an append-only chain of sealed entries."""
