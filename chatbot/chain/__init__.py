"""The chain: its steps by profile, and what a turn comes to."""
