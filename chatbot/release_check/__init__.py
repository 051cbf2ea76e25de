"""A new release, or a new generation of one, is held against the answers that people accepted."""
