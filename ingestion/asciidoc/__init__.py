"""AsciiDoc as its authors write it becomes the HTML that it stands for."""
