"""The reading of a question (QAMR III-B, step 1), by rules or by a model, and its queries."""
