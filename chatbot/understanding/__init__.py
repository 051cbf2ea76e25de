"""What a question asks (QAMR III-B, step 1): read by rules or by a model, then its queries."""
