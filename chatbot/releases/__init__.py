"""Which product and release a question is about, by the catalog (QAMR 3.1)."""
