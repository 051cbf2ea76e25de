"""Pages become one corpus per release (QAMR III-A, steps 2 and 3)."""
