"""Kernels in wasmtime: engines, memories, and a class for each operation."""
