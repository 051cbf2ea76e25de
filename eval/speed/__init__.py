"""Measurements behind our decisions, to be repeated on other machines."""
