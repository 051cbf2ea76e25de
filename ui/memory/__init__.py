"""What the memory keeps, as people see it: beside an answer, and on a page for admins."""
