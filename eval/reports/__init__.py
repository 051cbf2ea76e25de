"""Reports on a run: what it came to, as a page, for the terminal and for programs."""
