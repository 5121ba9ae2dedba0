"""The registry: the name of a game and the module whose `GAME` it is. A new game is a folder here and a line there."""

MODULES = {
    "match3": "engine.games.match3",
    "samegame": "engine.games.samegame",
}
