"""The page of products, releases and documents, for admins."""
