"""Rows of f32 to blocks of Q8_0, as activations are prepared for a dot product."""
