"""pack_activations: its strategies and plan."""
