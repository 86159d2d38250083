// Fused training kernels for the processor: what lies between the matrix products, forward and backward.
//
// Rows of all sentences of a batch lie one after another without padding; sentence s has rows offsets[s] … offsets[s+1].
// Activations are bfloat16 or float32, sums and statistics always float32. Loops are written so that the compiler
// vectorises them (16 floats of AVX-512, 8 of AVX2); eager PyTorch spends two thirds of a step on reading and writing
// intermediate tensors and on calls, which is what fusing saves.

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <malloc.h>
#include <torch/library.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using at::Tensor;
using Bf16 = uint16_t;

inline float widen(float x) { return x; }
inline float widen(Bf16 x) { return std::bit_cast<float>(uint32_t(x) << 16); }
// Round to nearest even.
inline void narrow(float x, float* out) { *out = x; }
inline void narrow(float x, Bf16* out) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  *out = Bf16((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// exp(x) for x ≤ 88, relative error below 2·10⁻⁷: 2ⁿ · p(r) with x = n ln 2 + r. In plain operations, so that the loops
// around it vectorise; the library's has no vector form under these flags.
inline float fast_exp(float x) {
  x = std::max(x, -87.0f);
  const float n = std::nearbyint(x * 1.44269504f);
  const float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
  float p = 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return p * std::bit_cast<float>((int32_t(n) + 127) << 23);
}

template <typename F>
void with_type(const Tensor& x, F f) {
  if (x.scalar_type() == at::kBFloat16) f(Bf16{});
  else if (x.scalar_type() == at::kFloat) f(float{});
  else TORCH_CHECK(false, "fused kernels take bfloat16 or float32, not ", x.scalar_type());
}
template <typename T> const T* in(const Tensor& x) { return static_cast<const T*>(x.const_data_ptr()); }
template <typename T> T* out(const Tensor& x) { return static_cast<T*>(x.data_ptr()); }

Tensor floats(at::IntArrayRef shape, const Tensor& like) { return at::empty(shape, like.options().dtype(at::kFloat)); }

// Splits rows among threads; the split depends only on the counts, so results can be repeated.
template <typename F>
void over_rows(int64_t rows, int64_t grain, F f) {
  at::parallel_for(0, rows, grain, f);
}

// ---- y = layer_norm(x + residual) · γ + β ------------------------------------------------------------------------

std::tuple<Tensor, Tensor, Tensor> add_norm(const Tensor& x, const Tensor& residual, const Tensor& gamma,
                                            const Tensor& beta, double epsilon) {
  const int64_t rows = x.size(0), d = x.size(1);
  Tensor y = at::empty_like(x), sum = at::empty_like(x), statistics = floats({rows, 2}, x);
  with_type(x, [&](auto type) {
    using T = decltype(type);
    const T *px = in<T>(x), *pr = in<T>(residual);
    const float *pg = in<float>(gamma), *pb = in<float>(beta);
    T *py = out<T>(y), *ps = out<T>(sum);
    float* pm = out<float>(statistics);
    over_rows(rows, 64, [&](int64_t begin, int64_t end) {
      std::vector<float> row(d);
      for (int64_t r = begin; r < end; ++r) {
        float total = 0;
        for (int64_t c = 0; c < d; ++c) {
          narrow(widen(px[r * d + c]) + widen(pr[r * d + c]), &ps[r * d + c]);
          row[c] = widen(ps[r * d + c]);
          total += row[c];
        }
        const float mean = total / d;
        float squares = 0;
        for (int64_t c = 0; c < d; ++c) squares += (row[c] - mean) * (row[c] - mean);
        const float inverse = 1 / std::sqrt(squares / d + float(epsilon));
        for (int64_t c = 0; c < d; ++c) narrow((row[c] - mean) * inverse * pg[c] + pb[c], &py[r * d + c]);
        pm[2 * r] = mean, pm[2 * r + 1] = inverse;
      }
    });
  });
  return {y, sum, statistics};
}

// Adds the gradients of γ and β to theirs; returns that of the sum.
Tensor add_norm_backward(const Tensor& dy, const Tensor& sum, const Tensor& statistics, const Tensor& gamma,
                         const Tensor& gamma_gradient, const Tensor& beta_gradient) {
  const int64_t rows = dy.size(0), d = dy.size(1);
  const int64_t threads = at::get_num_threads();
  Tensor dx = at::empty_like(dy), partial = at::zeros({threads, 2 * d}, statistics.options());
  with_type(dy, [&](auto type) {
    using T = decltype(type);
    const T *pd = in<T>(dy), *ps = in<T>(sum);
    const float *pm = in<float>(statistics), *pg = in<float>(gamma);
    T* px = out<T>(dx);
    float* pp = out<float>(partial);
    const int64_t share = (rows + threads - 1) / threads;
    at::parallel_for(0, threads, 1, [&](int64_t first, int64_t last) {
      std::vector<float> normal(d), scaled(d);
      for (int64_t t = first; t < last; ++t) {
        float *dgamma = pp + t * 2 * d, *dbeta = dgamma + d;
        for (int64_t r = t * share; r < std::min(rows, (t + 1) * share); ++r) {
          const float mean = pm[2 * r], inverse = pm[2 * r + 1];
          float a = 0, b = 0;
          for (int64_t c = 0; c < d; ++c) {
            const float g = widen(pd[r * d + c]);
            normal[c] = (widen(ps[r * d + c]) - mean) * inverse;
            scaled[c] = g * pg[c];
            dgamma[c] += g * normal[c];
            dbeta[c] += g;
            a += scaled[c];
            b += scaled[c] * normal[c];
          }
          a /= d, b /= d;
          for (int64_t c = 0; c < d; ++c) narrow(inverse * (scaled[c] - a - normal[c] * b), &px[r * d + c]);
        }
      }
    });
    float *og = out<float>(gamma_gradient), *ob = out<float>(beta_gradient);
    for (int64_t t = 0; t < threads; ++t)
      for (int64_t c = 0; c < d; ++c) og[c] += pp[t * 2 * d + c], ob[c] += pp[t * 2 * d + d + c];
  });
  return dx;
}

// ---- linear layers -----------------------------------------------------------------------------------------------

// y += bias in place, then, if asked, the ReLU: one pass, where PyTorch's product with a bias first fills y with it.
void add_bias_(const Tensor& y, const Tensor& bias, bool relu) {
  const int64_t rows = y.size(0), d = y.size(1);
  with_type(y, [&](auto type) {
    using T = decltype(type);
    T* py = out<T>(y);
    const float* pb = in<float>(bias);
    const float least = relu ? 0.0f : -INFINITY;
    over_rows(rows, 64, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        for (int64_t c = 0; c < d; ++c) narrow(std::max(widen(py[r * d + c]) + pb[c], least), &py[r * d + c]);
    });
  });
}

// bias_gradient[c] += Σ_r dy[r][c]; with `activation` (the output of a ReLU) first dy = 0 where it is 0, in place.
void bias_backward(const Tensor& dy, const c10::optional<Tensor>& activation, const Tensor& bias_gradient) {
  const int64_t rows = dy.size(0), d = dy.size(1), threads = at::get_num_threads();
  // Each thread goes through whole rows, as they lie in memory, and has sums of its own.
  Tensor partial = at::zeros({threads, d}, bias_gradient.options());
  with_type(dy, [&](auto type) {
    using T = decltype(type);
    T* pd = out<T>(dy);
    const T* pa = activation ? in<T>(*activation) : nullptr;
    float *pp = out<float>(partial), *pb = out<float>(bias_gradient);
    const int64_t share = (rows + threads - 1) / threads;
    at::parallel_for(0, threads, 1, [&](int64_t first, int64_t last) {
      for (int64_t t = first; t < last; ++t) {
        float* total = pp + t * d;
        for (int64_t r = t * share; r < std::min(rows, (t + 1) * share); ++r) {
          T* row = pd + r * d;
          if (pa) {
            const T* active = pa + r * d;
            for (int64_t c = 0; c < d; ++c) row[c] = widen(active[c]) > 0 ? row[c] : T(0);
          }
          for (int64_t c = 0; c < d; ++c) total[c] += widen(row[c]);
        }
      }
    });
    for (int64_t t = 0; t < threads; ++t)
      for (int64_t c = 0; c < d; ++c) pb[c] += pp[t * d + c];
  });
}

// sum += part, the sum in float32.
void accumulate(const Tensor& sum, const Tensor& part) {
  with_type(part, [&](auto type) {
    using T = decltype(type);
    const T* p = in<T>(part);
    float* s = out<float>(sum);
    at::parallel_for(0, part.numel(), 1 << 15, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) s[i] += widen(p[i]);
    });
  });
}

// ---- embedding: y = √d · step · E[id] + position signal; id −1 is a zero embedding ----------------------------------

// `steps`: what a level of a quantized table is worth; one number for all or one for each word, empty for 1.
Tensor embed(const Tensor& table, const Tensor& ids, const Tensor& offsets, const Tensor& positions,
             const Tensor& steps) {
  const int64_t rows = ids.numel(), d = table.size(1), sentences = offsets.numel() - 1;
  Tensor y = at::empty({rows, d}, table.options());
  const float scale = std::sqrt(float(d));
  with_type(table, [&](auto type) {
    using T = decltype(type);
    const T* pe = in<T>(table);
    const float *pp = in<float>(positions), *ps = steps.numel() ? in<float>(steps) : nullptr;
    const int64_t each = steps.numel() > 1;
    const int64_t *pi = in<int64_t>(ids), *po = in<int64_t>(offsets);
    T* py = out<T>(y);
    at::parallel_for(0, sentences, 4, [&](int64_t first, int64_t last) {
      for (int64_t s = first; s < last; ++s)
        for (int64_t r = po[s]; r < po[s + 1]; ++r) {
          const float* signal = pp + (r - po[s]) * d;
          const T* row = pi[r] < 0 ? pe : pe + pi[r] * d;
          const float factor = pi[r] < 0 ? 0.0f : ps ? scale * ps[each * pi[r]] : scale;
          for (int64_t c = 0; c < d; ++c) narrow(factor * widen(row[c]) + signal[c], &py[r * d + c]);
        }
    });
  });
  return y;
}

void embed_backward(const Tensor& dy, const Tensor& ids, const Tensor& gradient) {
  const int64_t rows = dy.size(0), d = dy.size(1);
  const float scale = std::sqrt(float(d));
  with_type(dy, [&](auto type) {
    using T = decltype(type);
    const T* pd = in<T>(dy);
    const int64_t* pi = in<int64_t>(ids);
    float* pg = out<float>(gradient);
    // By columns, so that two threads never add to one row.
    at::parallel_for(0, d, std::max<int64_t>(16, d / 4), [&](int64_t begin, int64_t end) {
      for (int64_t r = 0; r < rows; ++r) {
        if (pi[r] < 0) continue;
        for (int64_t c = begin; c < end; ++c) pg[pi[r] * d + c] += scale * widen(pd[r * d + c]);
      }
    });
  });
}

// ---- attention ---------------------------------------------------------------------------------------------------

// One head of one sentence in floats: queries and keys both ways round, padded with zeros to full vectors of keys.
constexpr int64_t kLane = 16;

template <int W>
struct Head {
  int64_t queries = 0, keys = 0, stride = 0;
  std::vector<float> q, k, v, k_transposed, p;

  template <typename T>
  void load(const T* pq, const T* pk, const T* pv, int64_t nq, int64_t nk, int64_t d) {
    queries = nq, keys = nk, stride = (nk + kLane - 1) / kLane * kLane;
    q.resize(nq * W), k.resize(nk * W), v.resize(nk * W), p.resize(nq * stride);
    const float scale = 1 / std::sqrt(float(W));
    for (int64_t i = 0; i < nq; ++i)
      for (int c = 0; c < W; ++c) q[i * W + c] = widen(pq[i * d + c]) * scale;
    for (int64_t j = 0; j < nk; ++j)
      for (int c = 0; c < W; ++c) {
        k[j * W + c] = widen(pk[j * d + c]);
        v[j * W + c] = widen(pv[j * d + c]);
      }
    transpose(k, k_transposed);
  }

  void transpose(const std::vector<float>& rows, std::vector<float>& columns) const {
    columns.resize(W * stride);
    for (int c = 0; c < W; ++c)
      for (int64_t j = 0; j < stride; ++j) columns[c * stride + j] = j < keys ? rows[j * W + c] : 0;
  }

  // out[n][j] = Σ_c x[n][c] · columns[c][j] for N rows at once: as many independent sums hide the latency of each.
  template <int N>
  void dots(const float* x, const std::vector<float>& columns, float* out) const {
    for (int64_t block = 0; block < stride; block += kLane) {
      float sum[N][kLane] = {};
      for (int c = 0; c < W; ++c) {
        const float* column = columns.data() + c * stride + block;
        for (int n = 0; n < N; ++n)
          for (int j = 0; j < kLane; ++j) sum[n][j] += x[n * W + c] * column[j];
      }
      for (int n = 0; n < N; ++n)
        for (int j = 0; j < kLane; ++j) out[n * stride + block + j] = sum[n][j];
    }
  }
  void all_dots(const std::vector<float>& x, const std::vector<float>& columns, std::vector<float>& out) const {
    int64_t i = 0;
    for (; i + 4 <= queries; i += 4) dots<4>(x.data() + i * W, columns, out.data() + i * stride);
    for (; i < queries; ++i) dots<1>(x.data() + i * W, columns, out.data() + i * stride);
  }

  // f(i, Σ_j p[i][j] · rows[j]) for every query i.
  template <int N, typename F>
  void mix(int64_t i, const std::vector<float>& weights, const std::vector<float>& rows, F f) const {
    float sum[N][W] = {};
    for (int64_t j = 0; j < keys; ++j) {
      const float* row = rows.data() + j * W;
      for (int n = 0; n < N; ++n) {
        const float weight = weights[(i + n) * stride + j];
        for (int c = 0; c < W; ++c) sum[n][c] += weight * row[c];
      }
    }
    for (int n = 0; n < N; ++n) f(i + n, sum[n]);
  }
  template <typename F>
  void mix_all(const std::vector<float>& weights, const std::vector<float>& rows, F f) const {
    int64_t i = 0;
    for (; i + 4 <= queries; i += 4) mix<4>(i, weights, rows, f);
    for (; i < queries; ++i) mix<1>(i, weights, rows, f);
  }

  // f(j, Σ_i p[i][j] · rows[i]) for every key j.
  template <int N, typename F>
  void collect(int64_t j, const std::vector<float>& weights, const std::vector<float>& rows, F f) const {
    float sum[N][W] = {};
    for (int64_t i = 0; i < queries; ++i) {
      const float* row = rows.data() + i * W;
      for (int n = 0; n < N; ++n) {
        const float weight = weights[i * stride + j + n];
        for (int c = 0; c < W; ++c) sum[n][c] += weight * row[c];
      }
    }
    for (int n = 0; n < N; ++n) f(j + n, sum[n]);
  }
  template <typename F>
  void collect_all(const std::vector<float>& weights, const std::vector<float>& rows, F f) const {
    int64_t j = 0;
    for (; j + 4 <= keys; j += 4) collect<4>(j, weights, rows, f);
    for (; j < keys; ++j) collect<1>(j, weights, rows, f);
  }

  // p = softmax(q kᵀ / √W), row by row; columns beyond the keys (or, if causal, beyond the query) are 0.
  void probabilities(bool causal) {
    all_dots(q, k_transposed, p);
    for (int64_t i = 0; i < queries; ++i) {
      float* row = p.data() + i * stride;
      const int64_t visible = causal ? i + 1 : keys;
      float largest = row[0];
      for (int64_t j = 1; j < visible; ++j) largest = std::max(largest, row[j]);
      for (int64_t j = visible; j < stride; ++j) row[j] = -INFINITY;
      float total = 0;
      for (int64_t j = 0; j < stride; ++j) {
        row[j] = j < visible ? fast_exp(row[j] - largest) : 0.0f;
        total += row[j];
      }
      const float inverse = 1 / total;
      for (int64_t j = 0; j < stride; ++j) row[j] *= inverse;
    }
  }
};

std::vector<int64_t> areas(const int64_t* q_offsets, const int64_t* k_offsets, int64_t sentences) {
  std::vector<int64_t> begin(sentences + 1, 0);
  for (int64_t s = 0; s < sentences; ++s)
    begin[s + 1] = begin[s] + (q_offsets[s + 1] - q_offsets[s]) * (k_offsets[s + 1] - k_offsets[s]);
  return begin;
}

template <typename F>
void with_width(int64_t width, F f) {
  if (width == 16) f(std::integral_constant<int, 16>{});
  else if (width == 32) f(std::integral_constant<int, 32>{});
  else if (width == 64) f(std::integral_constant<int, 64>{});
  else if (width == 128) f(std::integral_constant<int, 128>{});
  else TORCH_CHECK(false, "heads of 16, 32, 64 or 128 columns are supported, not ", width);
}

// Returns the mixed values and, if asked, the first head's probabilities: for each sentence its queries × keys.
std::tuple<Tensor, Tensor> attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_offsets,
                                     const Tensor& k_offsets, int64_t heads, bool causal, bool first_head) {
  const int64_t d = q.size(1), sentences = q_offsets.numel() - 1;
  const int64_t *qo = in<int64_t>(q_offsets), *ko = in<int64_t>(k_offsets);
  const auto begin = areas(qo, ko, sentences);
  Tensor y = at::empty_like(q), weights = floats({first_head ? begin[sentences] : 0}, q);
  with_type(q, [&](auto type) { with_width(d / heads, [&](auto width) {
    using T = decltype(type);
    constexpr int W = decltype(width)::value;
    const T *pq = in<T>(q), *pk = in<T>(k), *pv = in<T>(v);
    T* py = out<T>(y);
    float* pw = out<float>(weights);
    at::parallel_for(0, sentences * heads, 8, [&](int64_t first, int64_t last) {
      Head<W> head;
      for (int64_t task = first; task < last; ++task) {
        const int64_t s = task / heads, h = task % heads;
        const int64_t nq = qo[s + 1] - qo[s], nk = ko[s + 1] - ko[s];
        head.load(pq + qo[s] * d + h * W, pk + ko[s] * d + h * W, pv + ko[s] * d + h * W, nq, nk, d);
        head.probabilities(causal);
        head.mix_all(head.p, head.v, [&](int64_t i, const float* mixed) {
          T* to = py + (qo[s] + i) * d + h * W;
          for (int c = 0; c < W; ++c) narrow(mixed[c], &to[c]);
        });
        if (first_head && h == 0)
          for (int64_t i = 0; i < nq; ++i)
            std::copy_n(head.p.data() + i * head.stride, nk, pw + begin[s] + i * nk);
      }
    });
  }); });
  return {y, weights};
}

// `weights_gradient`: of the first head's probabilities, or empty.
std::tuple<Tensor, Tensor, Tensor> attention_backward(const Tensor& dy, const Tensor& weights_gradient, const Tensor& q,
                                                      const Tensor& k, const Tensor& v, const Tensor& q_offsets,
                                                      const Tensor& k_offsets, int64_t heads, bool causal) {
  const int64_t d = q.size(1), sentences = q_offsets.numel() - 1;
  const int64_t *qo = in<int64_t>(q_offsets), *ko = in<int64_t>(k_offsets);
  const auto begin = areas(qo, ko, sentences);
  Tensor dq = at::empty_like(q), dk = at::empty_like(k), dv = at::empty_like(v);
  with_type(q, [&](auto type) { with_width(d / heads, [&](auto width) {
    using T = decltype(type);
    constexpr int W = decltype(width)::value;
    const T *pq = in<T>(q), *pk = in<T>(k), *pv = in<T>(v), *pd = in<T>(dy);
    const float* pw = weights_gradient.numel() ? in<float>(weights_gradient) : nullptr;
    T *oq = out<T>(dq), *ok = out<T>(dk), *ov = out<T>(dv);
    at::parallel_for(0, sentences * heads, 8, [&](int64_t first, int64_t last) {
      Head<W> head;
      std::vector<float> v_transposed, ds, gy;
      for (int64_t task = first; task < last; ++task) {
        const int64_t s = task / heads, h = task % heads;
        const int64_t nq = qo[s + 1] - qo[s], nk = ko[s + 1] - ko[s];
        head.load(pq + qo[s] * d + h * W, pk + ko[s] * d + h * W, pv + ko[s] * d + h * W, nq, nk, d);
        head.probabilities(causal);
        head.transpose(head.v, v_transposed);
        const int64_t stride = head.stride;
        const float scale = 1 / std::sqrt(float(W));
        ds.resize(nq * stride), gy.resize(nq * W);
        // ds = p ∘ (dp − Σ p dp), dp = dy vᵀ (+ what the alignment loss asks of the first head).
        for (int64_t i = 0; i < nq; ++i)
          for (int c = 0; c < W; ++c) gy[i * W + c] = widen(pd[(qo[s] + i) * d + h * W + c]);
        head.all_dots(gy, v_transposed, ds);
        for (int64_t i = 0; i < nq; ++i) {
          const float* p = head.p.data() + i * stride;
          float* row = ds.data() + i * stride;
          if (pw && h == 0)
            for (int64_t j = 0; j < nk; ++j) row[j] += pw[begin[s] + i * nk + j];
          float mean = 0;
          for (int64_t j = 0; j < stride; ++j) mean += p[j] * row[j];
          for (int64_t j = 0; j < stride; ++j) row[j] = p[j] * (row[j] - mean);
        }
        head.mix_all(ds, head.k, [&](int64_t i, const float* sum) {
          T* to = oq + (qo[s] + i) * d + h * W;
          for (int c = 0; c < W; ++c) narrow(sum[c] * scale, &to[c]);
        });
        // q already carries the scale.
        head.collect_all(ds, head.q, [&](int64_t j, const float* sum) {
          T* to = ok + (ko[s] + j) * d + h * W;
          for (int c = 0; c < W; ++c) narrow(sum[c], &to[c]);
        });
        head.collect_all(head.p, gy, [&](int64_t j, const float* sum) {
          T* to = ov + (ko[s] + j) * d + h * W;
          for (int c = 0; c < W; ++c) narrow(sum[c], &to[c]);
        });
      }
    });
  }); });
  return {dq, dk, dv};
}

// ---- SSRU: c_t = σ(f_t) c_{t−1} + (1 − σ(f_t)) x_t, y_t = relu(c_t) -----------------------------------------------

std::tuple<Tensor, Tensor> ssru(const Tensor& x, const Tensor& gate, const Tensor& offsets) {
  const int64_t d = x.size(1), sentences = offsets.numel() - 1;
  const int64_t* po = in<int64_t>(offsets);
  Tensor y = at::empty_like(x), cells = floats(x.sizes(), x);
  with_type(x, [&](auto type) {
    using T = decltype(type);
    const T *px = in<T>(x), *pf = in<T>(gate);
    T* py = out<T>(y);
    float* pc = out<float>(cells);
    at::parallel_for(0, sentences, 1, [&](int64_t first, int64_t last) {
      std::vector<float> c(d);
      for (int64_t s = first; s < last; ++s) {
        std::fill(c.begin(), c.end(), 0.0f);
        for (int64_t r = po[s]; r < po[s + 1]; ++r)
// None of the rows overlap; there are too many for the compiler to check that at run time, and it would not vectorise.
#pragma GCC ivdep
          for (int64_t i = 0; i < d; ++i) {
            const float f = 1 / (1 + fast_exp(std::min(-widen(pf[r * d + i]), 80.0f)));
            c[i] = f * c[i] + (1 - f) * widen(px[r * d + i]);
            pc[r * d + i] = c[i];
            narrow(std::max(c[i], 0.0f), &py[r * d + i]);
          }
      }
    });
  });
  return {y, cells};
}

std::tuple<Tensor, Tensor> ssru_backward(const Tensor& dy, const Tensor& x, const Tensor& gate, const Tensor& cells,
                                         const Tensor& offsets) {
  const int64_t d = x.size(1), sentences = offsets.numel() - 1;
  const int64_t* po = in<int64_t>(offsets);
  Tensor dx = at::empty_like(x), df = at::empty_like(gate);
  with_type(x, [&](auto type) {
    using T = decltype(type);
    const T *px = in<T>(x), *pf = in<T>(gate), *pd = in<T>(dy);
    const float* pc = in<float>(cells);
    T *ox = out<T>(dx), *of = out<T>(df);
    at::parallel_for(0, sentences, 1, [&](int64_t first, int64_t last) {
      std::vector<float> carry(d), zeros(d, 0.0f);
      for (int64_t s = first; s < last; ++s) {
        std::fill(carry.begin(), carry.end(), 0.0f);
        for (int64_t r = po[s + 1] - 1; r >= po[s]; --r) {
          const float* before = r > po[s] ? pc + (r - 1) * d : zeros.data();
// None of the rows overlap; there are too many for the compiler to check that at run time, and it would not vectorise.
#pragma GCC ivdep
          for (int64_t i = 0; i < d; ++i) {
            const float f = 1 / (1 + fast_exp(std::min(-widen(pf[r * d + i]), 80.0f)));
            const float g = carry[i] + (pc[r * d + i] > 0 ? widen(pd[r * d + i]) : 0.0f);
            narrow(g * (1 - f), &ox[r * d + i]);
            narrow(g * (before[i] - widen(px[r * d + i])) * f * (1 - f), &of[r * d + i]);
            carry[i] = g * f;
          }
        }
      }
    });
  });
  return {dx, df};
}

// ---- cross-entropy -----------------------------------------------------------------------------------------------

// Loss of each row of logits l + bias with label smoothing ε over the words' `shares` u (which sum to 1), one row of them for all rows or
// one for each: log Σ exp(l_c) − (1 − ε) l_y − ε Σ u_c l_c; the logits are replaced by scale · (softmax − (1 − ε) onehot − ε u).
Tensor cross_entropy_(const Tensor& logits, const Tensor& bias, const Tensor& targets, const Tensor& shares,
                      double smoothing, double scale) {
  const int64_t rows = logits.size(0), n = logits.size(1);
  Tensor losses = floats({rows}, logits);
  with_type(logits, [&](auto type) {
    using T = decltype(type);
    T* pl = out<T>(logits);
    const float *pb = in<float>(bias), *all = in<float>(shares);
    const int64_t stride = shares.numel() > n ? n : 0;
    const int64_t* pt = in<int64_t>(targets);
    float* po = out<float>(losses);
    at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
      std::vector<float> e(n);
      for (int64_t r = begin; r < end; ++r) {
        T* row = pl + r * n;
        const float* pu = all + r * stride;
        float largest = -INFINITY, sum = 0, total = 0;
        for (int64_t c = 0; c < n; ++c) {
          e[c] = widen(row[c]) + pb[c];
          largest = std::max(largest, e[c]), sum += pu[c] * e[c];
        }
        const float correct = e[pt[r]];
        for (int64_t c = 0; c < n; ++c) e[c] = fast_exp(e[c] - largest), total += e[c];
        po[r] = std::log(total) + largest - float(1 - smoothing) * correct - float(smoothing) * sum;
        const float factor = float(scale) / total, flat = float(scale * smoothing);
        for (int64_t c = 0; c < n; ++c) narrow(e[c] * factor - flat * pu[c], &row[c]);
        narrow(e[pt[r]] * factor - flat * pu[pt[r]] - float(scale * (1 - smoothing)), &row[pt[r]]);
      }
    });
  });
  return losses;
}

// ---- quantization: q = clip(round_half_even(x · a), ±127) -----------------------------------------------------------

// `multiplier` a, or 0 for 127 / max|x| of each row. Returns the integers (in the type of x) and 1 / a of each row.
std::tuple<Tensor, Tensor> quantize_rows(const Tensor& x, double multiplier) {
  const int64_t rows = x.size(0), d = x.size(1);
  Tensor y = at::empty_like(x), inverse = floats({rows, 1}, x);
  with_type(x, [&](auto type) {
    using T = decltype(type);
    const T* px = in<T>(x);
    T* py = out<T>(y);
    float* pi = out<float>(inverse);
    over_rows(rows, 64, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        float a = float(multiplier);
        if (a == 0) {
          float largest = 0;
          for (int64_t c = 0; c < d; ++c) largest = std::max(largest, std::fabs(widen(px[r * d + c])));
          a = largest > 0 ? 127 / largest : 1;
        }
        pi[r] = 1 / a;
        for (int64_t c = 0; c < d; ++c)
          narrow(std::nearbyint(std::min(std::max(widen(px[r * d + c]) * a, -127.0f), 127.0f)), &py[r * d + c]);
      }
    });
  });
  return {y, inverse};
}

// ---- optimizer ---------------------------------------------------------------------------------------------------

// Adam (Kingma and Ba, 2015) on all weights at once, with the exponential average and the bfloat16 copy in one pass.
// `step_size` holds the bias corrections: learning rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ), `epsilon` is already times √(1 − β₂ᵗ).
// The gradient is scaled by `gradient_scale` (clipping) and set to zero.
void adam_(const Tensor& weights, const Tensor& gradient, const Tensor& first, const Tensor& second,
           const Tensor& average, const Tensor& copy, double step_size, double beta1, double beta2, double epsilon,
           double gradient_scale, double average_rate) {
  float *w = out<float>(weights), *g = out<float>(gradient), *m = out<float>(first), *v = out<float>(second);
  float* a = average.numel() ? out<float>(average) : nullptr;
  Bf16* b = copy.numel() ? out<Bf16>(copy) : nullptr;
  const float rate = float(step_size), b1 = float(beta1), b2 = float(beta2), eps = float(epsilon);
  const float scale = float(gradient_scale), mix = float(average_rate);
  at::parallel_for(0, weights.numel(), 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; block += 4096) {
      const int64_t stop = std::min(end, block + 4096);
      for (int64_t i = block; i < stop; ++i) {
        const float x = g[i] * scale;
        m[i] = b1 * m[i] + (1 - b1) * x;
        v[i] = b2 * v[i] + (1 - b2) * x * x;
        w[i] -= rate * m[i] / (std::sqrt(v[i]) + eps);
        g[i] = 0;
      }
      if (a) for (int64_t i = block; i < stop; ++i) a[i] += mix * (w[i] - a[i]);
      if (b) for (int64_t i = block; i < stop; ++i) narrow(w[i], &b[i]);
    }
  });
}

// Tensors of a step are freed and asked for again all the time; by default the allocator gives large ones back to the
// system each time and the next step pays for their pages anew.
const bool keep_memory = [] {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, -1);
  return true;
}();

}  // namespace

TORCH_LIBRARY(wanderwort_kernels, library) {
  library.def("add_norm(Tensor x, Tensor residual, Tensor gamma, Tensor beta, float epsilon) -> (Tensor, Tensor, Tensor)", &add_norm);
  library.def("add_norm_backward(Tensor dy, Tensor sum, Tensor statistics, Tensor gamma, Tensor(a!) gamma_gradient, Tensor(b!) beta_gradient) -> Tensor", &add_norm_backward);
  library.def("add_bias_(Tensor(a!) y, Tensor bias, bool relu) -> ()", &add_bias_);
  library.def("bias_backward(Tensor(a!) dy, Tensor? activation, Tensor(b!) bias_gradient) -> ()", &bias_backward);
  library.def("accumulate(Tensor(a!) sum, Tensor part) -> ()", &accumulate);
  library.def("embed(Tensor table, Tensor ids, Tensor offsets, Tensor positions, Tensor steps) -> Tensor", &embed);
  library.def("embed_backward(Tensor dy, Tensor ids, Tensor(a!) gradient) -> ()", &embed_backward);
  library.def("attention(Tensor q, Tensor k, Tensor v, Tensor q_offsets, Tensor k_offsets, int heads, bool causal, bool first_head) -> (Tensor, Tensor)", &attention);
  library.def("attention_backward(Tensor dy, Tensor weights_gradient, Tensor q, Tensor k, Tensor v, Tensor q_offsets, Tensor k_offsets, int heads, bool causal) -> (Tensor, Tensor, Tensor)", &attention_backward);
  library.def("ssru(Tensor x, Tensor gate, Tensor offsets) -> (Tensor, Tensor)", &ssru);
  library.def("ssru_backward(Tensor dy, Tensor x, Tensor gate, Tensor cells, Tensor offsets) -> (Tensor, Tensor)", &ssru_backward);
  library.def("cross_entropy_(Tensor(a!) logits, Tensor bias, Tensor targets, Tensor shares, float smoothing, float scale) -> Tensor", &cross_entropy_);
  library.def("quantize_rows(Tensor x, float multiplier) -> (Tensor, Tensor)", &quantize_rows);
  library.def("adam_(Tensor(a!) weights, Tensor(b!) gradient, Tensor(c!) first, Tensor(d!) second, Tensor(e!) average, Tensor(f!) copy, float step_size, float beta1, float beta2, float epsilon, float gradient_scale, float average_rate) -> ()", &adam_);
}
