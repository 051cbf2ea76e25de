"""Review by admins: the turns of all people, ratings, gaps, numbers."""
