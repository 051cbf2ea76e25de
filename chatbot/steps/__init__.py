"""The steps of the chain, one factory a file."""
