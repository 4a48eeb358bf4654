"""Rows of Q4_0 blocks to interleaved weights, as the matrix kernels read them."""
