"""How well the upgrade guide names what a configuration has to change: seeded keys of products."""
