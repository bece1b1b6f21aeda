"""SQL about how people get in besides their password: known browsers, one-time links, and tries that are counted."""
