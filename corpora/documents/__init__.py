"""Uploaded documents, what depends on them, and the work on them."""
