"""Speed, measured: kernels in engines and native GGML against each other and against what the machine can do."""
