"""Products of matrices of weights with columns of activations."""
