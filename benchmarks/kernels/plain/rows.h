// Plain loops over rows, columns and whole arrays, compiled with -Ofast for this processor: what one would write by
// hand where no library has it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace plain {

/// Every bit that any word has: as fast as memory is read.
std::uint64_t read(std::size_t words, const std::uint64_t* x);
float sum(std::size_t n, const float* x);
double sum(std::size_t n, const double* x);
/// Each row of n numbers.
void row_sums(std::size_t rows, std::size_t n, const float* x, float* out);
void row_maxima(std::size_t rows, std::size_t n, const float* x, float* out);
void row_places(std::size_t rows, std::size_t n, const float* x, std::int64_t* out);
/// Each column, row after row.
void column_sums(std::size_t rows, std::size_t columns, const float* x, float* out);
void column_maxima(std::size_t rows, std::size_t columns, const float* x, float* out);
/// Of [outer, n, inner] the sums over outer and inner.
void channel_sums(std::size_t outer, std::size_t n, std::size_t inner, const float* x, float* out);

void softmax(std::size_t rows, std::size_t n, const float* x, float* out);
void log_softmax(std::size_t rows, std::size_t n, const float* x, float* out);
/// Each row less its mean, over its deviation, times a gain and plus a bias.
void layer_norm(std::size_t rows, std::size_t n, const float* x, const float* gain, const float* bias, float epsilon,
                float* out);
void logsumexp(std::size_t rows, std::size_t n, const float* x, float* out);
/// Along the rows of a matrix, each column by itself.
void column_softmax(std::size_t rows, std::size_t columns, const float* x, float* out);

void add(std::size_t n, const float* a, const float* b, float* out);
void divide(std::size_t n, const float* a, const float* b, float* out);
void maximum(std::size_t n, const float* a, const float* b, float* out);
/// A row added to each row.
void add_row(std::size_t rows, std::size_t n, const float* a, const float* row, float* out);
/// Each row times a number of its own.
void scale_rows(std::size_t rows, std::size_t n, const float* a, const float* factor, float* out);
/// A matrix plus the transposed other.
void add_transposed(std::size_t rows, std::size_t columns, const float* a, const float* b, float* out);
void transpose(std::size_t rows, std::size_t columns, const float* x, float* out);
/// Rows of n numbers that lie `step` apart.
void copy_rows(std::size_t rows, std::size_t n, std::size_t step, const float* x, float* out);
void add_rows(std::size_t count, std::size_t n, const std::int64_t* places, const float* rows, float* table);
void to_double(std::size_t n, const float* x, double* out);

}  // namespace plain
