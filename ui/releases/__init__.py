"""The page on releases: what changed from one to another, and the history of a parameter."""
