"""The user interfaces: command line, pages, and the interfaces for programs."""
