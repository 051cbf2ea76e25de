"""The account: signing in and out, one's own data, keys for programs."""
