// Dot products by GGML's function, whoever defines it: a row of Q8_0 with every row of a Q4_0 matrix.
//
// Standard input: two int32, elements n and rows; then the rows of Q4_0; then the row of Q8_0. Standard output: a float a row.
// With an argument, repeats it all so many times, and says on standard error what one product took.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void ggml_vec_dot_q4_0_q8_0(int n, float *s, size_t bs, const void *vx, size_t bx, const void *vy, size_t by, int nrc);

static void *read_bytes(size_t size) {
    void *bytes = malloc(size);
    if (bytes == NULL || fread(bytes, 1, size, stdin) != size) {
        fprintf(stderr, "standard input: ends before %zu bytes more\n", size);
        exit(1);
    }
    return bytes;
}

int main(int argc, char **argv) {
    const int32_t *sizes = read_bytes(2 * sizeof(int32_t));
    const int n = sizes[0], rows = sizes[1];
    const size_t row_bytes = (size_t)n / 32 * 18;
    const char *weights = read_bytes(rows * row_bytes);
    const char *activations = read_bytes((size_t)n / 32 * 34);
    float *results = malloc(rows * sizeof(float));

    const long repeat = argc > 1 ? atol(argv[1]) : 1;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < repeat; i++) {
        for (int row = 0; row < rows; row++) {
            ggml_vec_dot_q4_0_q8_0(n, &results[row], 0, weights + row * row_bytes, 0, activations, 0, 1);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double ns = (end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec);
    if (argc > 1) {
        fprintf(stderr, "%.1f ns a product of %d elements\n", ns / repeat / rows, n);
    }
    return fwrite(results, sizeof(float), rows, stdout) == (size_t)rows ? 0 : 1;
}
