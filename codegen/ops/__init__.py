"""One package an operation: what it computes, and how it is planned, run, verified and told to other engines.

Nothing outside knows an operation but by codegen/kernels/operations.py, which names the rooms each package has.
"""
