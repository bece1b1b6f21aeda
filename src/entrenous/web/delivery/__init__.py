"""What leaves by mail and webhook: notices, the outbox, and where it may be sent."""
