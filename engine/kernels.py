"""How kernels are compiled: the two decorators that every kernel of the engine wears.

`kernel` counts no references. Numba otherwise counts every array that a function gets, one atomic addition and one
subtraction a call, and states and trees are bundles of arrays: counting took 3.3 of 5.4 microseconds of a search
iteration. What is not counted must be owned by the caller, so a kernel may use, slice and return what it was given,
but not make an array of its own. `allocating_kernel` may, and is for what is rare.

Both are kept on disk, give up the interpreter lock, and divide as IEEE says.
"""

from numba import njit

# `_nrt` is no documented option of numba; its minor version is pinned, and `tests/engine/test_kernels.py` watches it.
kernel = njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
allocating_kernel = njit(cache=True, nogil=True, error_model="numpy", _nrt=True)
# For small helpers of hot loops that the compiler would not inline by itself.
inlined_kernel = njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
