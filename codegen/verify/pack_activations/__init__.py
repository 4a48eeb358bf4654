"""The cases and checks of pack_activations."""
