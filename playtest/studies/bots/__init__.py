"""Participants that are programs: they go through a study over real HTTP and WebSocket, as a browser would."""
