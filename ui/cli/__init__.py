"""The command line `strata`, one subject a file."""
