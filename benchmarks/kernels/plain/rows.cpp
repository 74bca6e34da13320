#include "plain/rows.h"

#include <math.h>
#include <string.h>

namespace plain {
namespace {

template <class T>
T sum_of(std::size_t n, const T* x) {
  T total = 0;
  for (std::size_t i = 0; i < n; ++i) total += x[i];
  return total;
}
float peak_of(std::size_t n, const float* x) {
  float peak = x[0];
  for (std::size_t i = 1; i < n; ++i) peak = x[i] > peak ? x[i] : peak;
  return peak;
}

}  // namespace

std::uint64_t read(std::size_t words, const std::uint64_t* x) {
  constexpr std::size_t lanes = 64;
  std::uint64_t bits[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= words; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) bits[l] |= x[i + l];
  for (; i < words; ++i) bits[0] |= x[i];
  for (std::size_t l = 1; l < lanes; ++l) bits[0] |= bits[l];
  return bits[0];
}
float sum(std::size_t n, const float* x) { return sum_of(n, x); }
double sum(std::size_t n, const double* x) { return sum_of(n, x); }
void row_sums(std::size_t rows, std::size_t n, const float* x, float* out) {
  for (std::size_t r = 0; r < rows; ++r) out[r] = sum_of(n, x + r * n);
}
void row_maxima(std::size_t rows, std::size_t n, const float* x, float* out) {
  for (std::size_t r = 0; r < rows; ++r) out[r] = peak_of(n, x + r * n);
}
void row_places(std::size_t rows, std::size_t n, const float* x, std::int64_t* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* row = x + r * n;
    std::size_t place = 0;
    for (std::size_t i = 1; i < n; ++i)
      if (row[i] > row[place]) place = i;
    out[r] = static_cast<std::int64_t>(place);
  }
}
void column_sums(std::size_t rows, std::size_t columns, const float* x, float* __restrict out) {
  memset(out, 0, columns * sizeof(float));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) out[c] += x[r * columns + c];
}
void column_maxima(std::size_t rows, std::size_t columns, const float* x, float* __restrict out) {
  memcpy(out, x, columns * sizeof(float));
  for (std::size_t r = 1; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) out[c] = x[r * columns + c] > out[c] ? x[r * columns + c] : out[c];
}
void channel_sums(std::size_t outer, std::size_t n, std::size_t inner, const float* x, float* out) {
  for (std::size_t c = 0; c < n; ++c) {
    float total = 0;
    for (std::size_t o = 0; o < outer; ++o) total += sum_of(inner, x + (o * n + c) * inner);
    out[c] = total;
  }
}

void softmax(std::size_t rows, std::size_t n, const float* x, float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r, x += n, out += n) {
    const float peak = peak_of(n, x);
    float total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = expf(x[i] - peak);
      total += out[i];
    }
    for (std::size_t i = 0; i < n; ++i) out[i] /= total;
  }
}
void log_softmax(std::size_t rows, std::size_t n, const float* x, float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r, x += n, out += n) {
    const float peak = peak_of(n, x);
    float total = 0;
    for (std::size_t i = 0; i < n; ++i) total += expf(x[i] - peak);
    const float normalizer = peak + logf(total);
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i] - normalizer;
  }
}
void layer_norm(std::size_t rows, std::size_t n, const float* x, const float* gain, const float* bias, float epsilon,
                float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r, x += n, out += n) {
    const float mean = sum_of(n, x) / static_cast<float>(n);
    float squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = 1.0f / sqrtf(squares / static_cast<float>(n) + epsilon);
    for (std::size_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * scale * gain[i] + bias[i];
  }
}
void logsumexp(std::size_t rows, std::size_t n, const float* x, float* out) {
  for (std::size_t r = 0; r < rows; ++r, x += n) {
    const float peak = peak_of(n, x);
    float total = 0;
    for (std::size_t i = 0; i < n; ++i) total += expf(x[i] - peak);
    out[r] = peak + logf(total);
  }
}
void column_softmax(std::size_t rows, std::size_t columns, const float* x, float* __restrict out) {
  constexpr std::size_t tile = 64;
  for (std::size_t begin = 0; begin < columns; begin += tile) {
    const std::size_t width = columns - begin < tile ? columns - begin : tile;
    float peak[tile], total[tile] = {};
    memcpy(peak, x + begin, width * sizeof(float));
    for (std::size_t r = 1; r < rows; ++r)
      for (std::size_t c = 0; c < width; ++c) {
        const float next = x[r * columns + begin + c];
        peak[c] = next > peak[c] ? next : peak[c];
      }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < width; ++c) {
        const float e = expf(x[r * columns + begin + c] - peak[c]);
        out[r * columns + begin + c] = e;
        total[c] += e;
      }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < width; ++c) out[r * columns + begin + c] /= total[c];
  }
}

void add(std::size_t n, const float* a, const float* b, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
void divide(std::size_t n, const float* a, const float* b, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] / b[i];
}
void maximum(std::size_t n, const float* a, const float* b, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] > b[i] ? a[i] : b[i];
}
void add_row(std::size_t rows, std::size_t n, const float* a, const float* row, float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) out[r * n + i] = a[r * n + i] + row[i];
}
void scale_rows(std::size_t rows, std::size_t n, const float* a, const float* factor, float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) out[r * n + i] = a[r * n + i] * factor[r];
}
void add_transposed(std::size_t rows, std::size_t columns, const float* a, const float* b, float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) out[r * columns + c] = a[r * columns + c] + b[c * rows + r];
}
void transpose(std::size_t rows, std::size_t columns, const float* x, float* __restrict out) {
  constexpr std::size_t tile = 16;
  for (std::size_t r0 = 0; r0 < rows; r0 += tile)
    for (std::size_t c0 = 0; c0 < columns; c0 += tile)
      for (std::size_t c = c0; c < c0 + tile && c < columns; ++c)
        for (std::size_t r = r0; r < r0 + tile && r < rows; ++r) out[c * rows + r] = x[r * columns + c];
}
void copy_rows(std::size_t rows, std::size_t n, std::size_t step, const float* x, float* __restrict out) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) out[r * n + i] = x[r * step + i];
}
void add_rows(std::size_t count, std::size_t n, const std::int64_t* places, const float* rows,
              float* __restrict table) {
  for (std::size_t r = 0; r < count; ++r) {
    float* to = table + static_cast<std::size_t>(places[r]) * n;
    for (std::size_t i = 0; i < n; ++i) to[i] += rows[r * n + i];
  }
}
void to_double(std::size_t n, const float* x, double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i];
}

}  // namespace plain
