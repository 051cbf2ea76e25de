"""Generations of a release: begun, published, rolled back, swept up after a crash."""
