"""How well the check of a new release finds what changed: facts of two real release pairs."""
