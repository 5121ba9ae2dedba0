"""The page "People and personas": what is read, what is said of it, section by section."""
