"""The commands of `strata`, one file each."""
