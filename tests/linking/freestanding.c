// A program without a C library, as plugins and page scripts are: its host writes into `buffer` and reads from it.

#include "ggmlwat.h"

char buffer[1 << 20] __attribute__((aligned(16)));

char *buffer_address(void) { return buffer; }

float dot_product(int n, size_t x, size_t y) {
    float s;
    ggml_vec_dot_q4_0_q8_0(n, &s, 0, buffer + x, 0, buffer + y, 0, 1);
    return s;
}

static char *after(char *bytes, size_t size) { return bytes + (size + 15) / 16 * 16; }

// The rows of Q4_0 at the start of the buffer times the columns of f32 after them; where the results are, by mul_mat and by gemm.
float *products(int n, int rows, int columns) {
    const size_t row_bytes = (size_t)n / 32 * 18, results = (size_t)rows * columns;
    const float *values = (float *)(buffer + rows * row_bytes);
    char *interleaved = after((char *)values - (size_t)values % 16, (size_t)columns * n * sizeof(float) + 16);
    char *prepared = after(interleaved, ggmlwat_interleaved_bytes(n, rows));
    char *work = after(prepared, ggmlwat_prepared_bytes(n, columns));
    float *s = (float *)after(work, ggmlwat_work_bytes(n, columns));
    repack_q4_0(n, interleaved, buffer, row_bytes, rows);
    pack_activations_q8_0(n, prepared, values, n * sizeof(float), columns);
    mul_mat_q4_0(n, s, rows, interleaved, values, n * sizeof(float), columns, rows, work);
    gemm_q4_0_q8_0(n, s + results, rows, interleaved, prepared, columns, rows);
    return s;
}
