"""Columns of f32 to prepared activations, as the matrix kernels read them."""
