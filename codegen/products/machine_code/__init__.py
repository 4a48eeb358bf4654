"""The machine code that engines make of a kernel: had, taken apart, counted, and shown beside its WAT.

    engine -> Code (bytes) -> instructions -> the main loop -> counts and listing

It needs the packages of the `asm` extra, which are imported when they are used.
"""
