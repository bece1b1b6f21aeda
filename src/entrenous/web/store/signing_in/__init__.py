"""Signing in beyond passwords: public keys of passkeys, and when a session last proved whose it is."""
