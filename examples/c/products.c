// A matrix of Q4_0 times columns of f32, in every way that ggmlwat.h has.
//
// Standard input: three int32, elements n, rows and columns; then the rows of Q4_0; then the columns of f32.
// Standard output: columns times rows of float, four times: by mul_mat, by gemm, by gemv, and by single dot products.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ggmlwat.h"

static void *reserve(size_t size) {
    void *bytes = malloc(size + 1);  // nothing is something, too
    if (bytes == NULL) {
        fprintf(stderr, "memory: has no %zu bytes left\n", size);
        exit(1);
    }
    return bytes;
}

static void *read_bytes(size_t size) {
    void *bytes = reserve(size);
    if (fread(bytes, 1, size, stdin) != size) {
        fprintf(stderr, "standard input: ends before %zu bytes more\n", size);
        exit(1);
    }
    return bytes;
}

int main(void) {
    const int32_t *sizes = read_bytes(3 * sizeof(int32_t));
    const int n = sizes[0], rows = sizes[1], columns = sizes[2];
    const size_t row_bytes = (size_t)n / 32 * 18, products = (size_t)rows * columns;
    const char *weights = read_bytes(rows * row_bytes);
    const float *values = read_bytes((size_t)columns * n * sizeof(float));
    float *results = reserve(4 * products * sizeof(float));

    // Once for a model's matrix:
    void *interleaved = reserve(ggmlwat_interleaved_bytes(n, rows));
    repack_q4_0(n, interleaved, weights, row_bytes, rows);

    // In one call, for every token:
    void *work = reserve(ggmlwat_work_bytes(n, columns));
    mul_mat_q4_0(n, results, rows, interleaved, values, n * sizeof(float), columns, rows, work);

    // In two: columns are prepared once, and multiply many matrices.
    void *prepared = reserve(ggmlwat_prepared_bytes(n, columns));
    pack_activations_q8_0(n, prepared, values, n * sizeof(float), columns);
    gemm_q4_0_q8_0(n, results + products, rows, interleaved, prepared, columns, rows);
    const size_t column_bytes = ggmlwat_prepared_bytes(n, 1);
    for (int column = 0; column < columns; column++) {
        float *s = results + 2 * products + (size_t)column * rows;
        gemv_q4_0_q8_0(n, s, rows, interleaved, (char *)prepared + column * column_bytes, 1, rows);
    }

    // As GGML does it, on rows as they are:
    void *blocks = reserve(ggmlwat_q8_0_bytes(n));
    for (int column = 0; column < columns; column++) {
        quantize_row_q8_0(values + (size_t)column * n, blocks, n);
        for (int row = 0; row < rows; row++) {
            float *s = results + 3 * products + (size_t)column * rows + row;
            ggml_vec_dot_q4_0_q8_0(n, s, 0, weights + row * row_bytes, 0, blocks, 0, 1);
        }
    }
    return fwrite(results, sizeof(float), 4 * products, stdout) == 4 * products ? 0 : 1;
}
