"""The dot product of a row of weights and a row of activations."""
