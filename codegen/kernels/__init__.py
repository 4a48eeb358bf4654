"""The operations: their strategies, the plans of their kernels, and the kernels that are shipped."""
