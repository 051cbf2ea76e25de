"""The product and release of a question, by the catalog (QAMR 3.1)."""
