"""Instructions that not every processor has (BMI2), and whether to use them."""

import os

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.bits import declared
from engine.kernels import kernel

WORD = ir.IntType(64)
# These have pext and pdep in microcode, slower than doing without.
SLOW_PDEP = ("znver1", "znver2")


def has_fast_pdep() -> bool:
    """Whether kernels may use pext and pdep: the processor has them, they are fast, and nobody has said otherwise.

    `TESSERA_PORTABLE=1` says otherwise; so does telling numba to compile for another processor.
    """
    if os.environ.get("TESSERA_PORTABLE", "") not in ("", "0"):
        return False
    if numba.config.CPU_NAME or numba.config.CPU_FEATURES:
        return False
    if llvmlite.binding.get_host_cpu_name() in SLOW_PDEP:
        return False
    return bool(llvmlite.binding.get_host_cpu_features().get("bmi2", False))


def _bmi2(name):
    """The LLVM intrinsic of a BMI2 instruction as a builder of its call."""

    def generate(context, builder, signature, arguments):
        return builder.call(declared(builder, name, ir.FunctionType(WORD, [WORD, WORD])), arguments)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def extract_bits(typingctx, word, mask):
    """The bits of `word` at the bits set in `mask`, packed from bit 0 on (pext)."""
    return _bmi2("llvm.x86.bmi.pext.64")


@intrinsic
def deposit_bits(typingctx, word, mask):
    """The lowest bits of `word` one by one at the bits set in `mask`, from the lowest (pdep)."""
    return _bmi2("llvm.x86.bmi.pdep.64")


@kernel
def deposit_one_by_one(word, mask):
    """`deposit_bits` for any processor."""
    found = np.uint64(0)
    while word != np.uint64(0):
        lowest = mask & (~mask + np.uint64(1))
        if word & np.uint64(1):
            found |= lowest
        mask ^= lowest
        word >>= np.uint64(1)
    return found


@intrinsic
def stack_bits(typingctx, word):
    """In each byte of a `uint64` as many bits from the lowest on as `word` has there (SSSE3, which all BMI2 has)."""

    def generate(context, builder, signature, arguments):
        bytes_16, words_2 = ir.VectorType(ir.IntType(8), 16), ir.VectorType(WORD, 2)
        wide = builder.insert_element(ir.Constant(words_2, [0, 0]), arguments[0], ir.Constant(ir.IntType(32), 0))
        count = declared(builder, "llvm.ctpop.v16i8", ir.FunctionType(bytes_16, [bytes_16]))
        counts = builder.call(count, [builder.bitcast(wide, bytes_16)])
        stacks = ir.Constant(bytes_16, [(1 << count) - 1 for count in range(9)] + [0] * 7)
        function = declared(builder, "llvm.x86.ssse3.pshuf.b.128", ir.FunctionType(bytes_16, [bytes_16, bytes_16]))
        stacked = builder.bitcast(builder.call(function, [stacks, counts]), words_2)
        return builder.extract_element(stacked, ir.Constant(ir.IntType(32), 0))

    return types.uint64(types.uint64), generate
