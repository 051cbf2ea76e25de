"""Language models behind one interface, and where their files come from."""
