"""What people put up, taken apart and written anew, so that nothing is kept but what it shows."""
