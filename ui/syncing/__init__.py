"""The page Sources: where documentation is brought from, by whom it is run, what came of it."""
