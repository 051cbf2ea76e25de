"""A question becomes an answer (QAMR III-B)."""
