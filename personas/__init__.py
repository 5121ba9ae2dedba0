"""Who plays: agents, personas as data, playtests of a level, and the evolution of personas. Knows no Django."""


def warm_up() -> float:
    """Compile, or load from the cache, every kernel that playtests and runs need; seconds that it took."""
    from personas.warm import load_kernels

    return load_kernels()


__all__ = ["warm_up"]
