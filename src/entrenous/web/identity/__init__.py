"""Who somebody is: passwords, secrets of tokens and sessions, cookies, and providers to sign in with."""
