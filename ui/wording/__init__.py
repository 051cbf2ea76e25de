"""What people read on the page and in the terminal, as plain text."""
