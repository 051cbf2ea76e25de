"""Pages become chunks, vectors and words, and are found again."""
