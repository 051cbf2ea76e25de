"""The pages on which admins look at what was asked and answered."""
