"""What the pages of results read."""
