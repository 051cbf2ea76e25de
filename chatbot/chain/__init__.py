"""The chain: its steps by profile, and the reply built from a finished turn."""
