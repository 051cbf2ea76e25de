"""The command line `strata`, one command a file."""
