"""What people and things may be called: characters, look-alikes, names and handles."""
