// A matrix of Q4_0 times a column of f32, by a program that has GGML in it.
//
// Standard input: two int32, elements n and rows; then the rows; then the column. Standard output: a float a row.

#include <stdint.h>
#include <stdio.h>

void ggml_mul_mat(int n, int rows, const char *weights, const float *values, void *work, float *results);

static char weights[1 << 16], work[1 << 16];
static float values[1 << 12], results[1 << 10];

int main(void) {
    int32_t sizes[2];
    fread(sizes, sizeof(int32_t), 2, stdin);
    const int n = sizes[0], rows = sizes[1];
    fread(weights, 1, (size_t)rows * n / 32 * 18, stdin);
    fread(values, sizeof(float), n, stdin);
    ggml_mul_mat(n, rows, weights, values, work, results);
    return fwrite(results, sizeof(float), rows, stdout) == (size_t)rows ? 0 : 1;
}
