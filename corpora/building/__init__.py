"""Documents become a new generation of a release."""
