"""Sources: places outside that documentation is brought from, again and again."""
