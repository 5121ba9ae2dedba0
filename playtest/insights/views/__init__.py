"""Pages of a study's results."""
