"""Bytes of files that are kept beside the database."""
