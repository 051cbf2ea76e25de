"""A run: questions asked of several systems and scored, in one folder."""
