"""What admins look at: the turns of all people, ratings, gaps, numbers."""
