"""A question as it is searched for: its release, its spelling, its rewritings (QAMR 3.2)."""
