"""A cited page beside its answer."""
