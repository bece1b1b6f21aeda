"""What people do about their accounts: addresses, passwords, and who looks after the service."""
