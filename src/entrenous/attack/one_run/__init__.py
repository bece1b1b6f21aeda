"""One release of the user's own data with many planted canaries: what it proves about the promise."""
