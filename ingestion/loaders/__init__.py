"""One loader a file format."""
