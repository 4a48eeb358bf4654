"""A matrix of weights times f32 activations, in one call."""
