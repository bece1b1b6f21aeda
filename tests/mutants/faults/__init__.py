"""The faults, by what they are faults of."""
