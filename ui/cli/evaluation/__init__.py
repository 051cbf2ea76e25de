"""Commands of `strata eval`, each in a module of its own."""
