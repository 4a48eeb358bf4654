"""A whole model's products: every Q4_0 matrix of a GGUF file times f32 activations, checked row by row and timed."""
