"""How much is kept of one participant. What comes beyond is counted or dropped, never an error."""

MOST_ATTEMPTS = 500
"""Attempts a round."""

MOST_EVENTS = 2_000
"""Events a participant."""
