"""How well the check of a new release finds what changed: facts of four real release pairs."""
