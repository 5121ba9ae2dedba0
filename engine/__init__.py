"""The games and the search: numpy and numba, nothing about Django, DEAP or persons.

Importing the package compiles nothing. Kernels are compiled on first use and kept on disk (`engine.cache`);
`warm_up()` loads all that one play of a level needs, so that no participant waits for a compiler.
"""

from engine.cache import use_digest_folder

# Numba reads the folder when a function is decorated, so this comes before any module with a kernel.
use_digest_folder()


def warm_up() -> float:
    """Compile, or load from the cache, every kernel that a `Round` needs; seconds that it took.

    Call it at process start. With a warm cache it takes well under two seconds.
    """
    from engine.warm import load_kernels

    return load_kernels()


__all__ = ["warm_up"]
