"""The exact result of every operation, without WebAssembly."""
