"""Sealed answers: boxes that only a round's key opens, and the keys, which are kept in another place."""
