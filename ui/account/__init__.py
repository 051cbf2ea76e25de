"""Who somebody is here: signing in and out, and what is kept of them."""
