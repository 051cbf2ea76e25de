"""What can be measured: the profiles of the chatbot, and systems as others build them."""
