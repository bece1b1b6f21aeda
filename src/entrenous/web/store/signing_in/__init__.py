"""SQL about how people get in besides their password: passkeys, known browsers, one-time links, counted tries."""
