"""Search: trees, policies and whole games, for any game that `engine.game` knows."""
