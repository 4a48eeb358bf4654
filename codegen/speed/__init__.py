"""How fast kernels are, and which are the fastest."""
