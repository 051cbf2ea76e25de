"""Questions of one's own: imported, proposed from releases, and gathered for the regression set."""
