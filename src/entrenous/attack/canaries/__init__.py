"""Neighbouring inputs for every mechanism, one with a canary, and what an attacker sees of each."""
