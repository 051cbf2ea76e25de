"""What admins look at: the turns of everybody, ratings, gaps, numbers."""
