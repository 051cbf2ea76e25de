"""What admins see of the memory and do with it."""
