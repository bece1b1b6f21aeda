"""What people do and read: putting up, deciding, tagging, browsing, and the worker that watches the clock."""
