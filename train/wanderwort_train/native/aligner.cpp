// Word alignment by a log-linear reparameterisation of IBM model 2 (Dyer, Chahuneau and Smith, 2013: "A Simple, Fast,
// and Effective Reparameterization of IBM Model 2"), on integer tokens.
//
//   p(f_i, a_i = j) = t(f_i | e_j) · δ(j | i, m, n)
//   δ(0 | …) = p0,   δ(j | …) = (1 − p0) · exp(−λ |i/m − j/n|) / Z(i)
//
// t has a Dirichlet prior (variational Bayes, α = 0.01, section 3.1 there), λ follows the gradient of its likelihood.
// The joint counts of a source word are a sorted row of target words; words with long rows also get a dense index.
// One direction runs on one thread, so that the sums always have the same order and a run can be repeated exactly.

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr double kNull = 0.08;
constexpr double kAlpha = 0.01;

struct Text {
  const int32_t* tokens;
  const int64_t* offsets;
  int64_t sentences;
  int length(int64_t s) const { return static_cast<int>(offsets[s + 1] - offsets[s]); }
  const int32_t* sentence(int64_t s) const { return tokens + offsets[s]; }
};

double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  x -= 0.5;
  const double r = 1 / (x * x);
  return result + std::log(x) + r / 24 - 7 * r * r / 960 + 31 * r * r * r / 8064;
}

// Sparse table of source × target words; row 0 … vocabulary-1 are words, row `vocabulary` is the null word.
class Table {
 public:
  Table(const Text& source, const Text& target, int vocabulary) : vocabulary_(vocabulary), starts_(vocabulary + 2, 0) {
    std::vector<std::vector<int64_t>> where(vocabulary);
    std::vector<int64_t> occurrences(vocabulary + 1, 0);
    for (int64_t s = 0; s < source.sentences; ++s)
      for (int j = 0; j < source.length(s); ++j) ++occurrences[source.sentence(s)[j]];
    for (int e = 0; e < vocabulary; ++e) where[e].reserve(occurrences[e]);
    for (int64_t s = 0; s < source.sentences; ++s)
      for (int j = 0; j < source.length(s); ++j) {
        auto& list = where[source.sentence(s)[j]];
        if (list.empty() || list.back() != s) list.push_back(s);
      }
    std::vector<uint8_t> seen(vocabulary, 0);
    std::vector<int32_t> row;
    for (int e = 0; e <= vocabulary; ++e) {
      row.clear();
      const auto collect = [&](int64_t s) {
        for (int i = 0; i < target.length(s); ++i) {
          const int32_t f = target.sentence(s)[i];
          if (!seen[f]) { seen[f] = 1; row.push_back(f); }
        }
      };
      if (e < vocabulary) for (int64_t s : where[e]) collect(s);
      else for (int64_t s = 0; s < source.sentences; ++s) collect(s);
      for (int32_t f : row) seen[f] = 0;
      std::sort(row.begin(), row.end());
      starts_[e] = static_cast<int64_t>(words_.size());
      words_.insert(words_.end(), row.begin(), row.end());
      if (e < vocabulary) std::vector<int64_t>().swap(where[e]);
    }
    starts_[vocabulary + 1] = static_cast<int64_t>(words_.size());
    dense_.assign(vocabulary + 1, -1);
    int64_t dense_rows = 0;
    for (int e = 0; e <= vocabulary; ++e)
      if (starts_[e + 1] - starts_[e] > 256) dense_[e] = dense_rows++;
    position_.assign(dense_rows * vocabulary, -1);
    for (int e = 0; e <= vocabulary; ++e)
      if (dense_[e] >= 0)
        for (int64_t k = starts_[e]; k < starts_[e + 1]; ++k)
          position_[dense_[e] * vocabulary + words_[k]] = static_cast<int32_t>(k - starts_[e]);
    probability_.assign(words_.size(), 1.0f / vocabulary);
    count_.assign(words_.size(), 0.0f);
  }

  int64_t find(int e, int32_t f) const {
    if (dense_[e] >= 0) return starts_[e] + position_[dense_[e] * vocabulary_ + f];
    return std::lower_bound(words_.begin() + starts_[e], words_.begin() + starts_[e + 1], f) - words_.begin();
  }
  float probability(int64_t cell) const { return probability_[cell]; }
  void add(int64_t cell, float amount) { count_[cell] += amount; }

  void maximize() {
    for (int e = 0; e <= vocabulary_; ++e) {
      double total = 0;
      for (int64_t k = starts_[e]; k < starts_[e + 1]; ++k) total += count_[k] + kAlpha;
      if (total == 0) continue;
      const double norm = digamma(total);
      for (int64_t k = starts_[e]; k < starts_[e + 1]; ++k) {
        probability_[k] = static_cast<float>(std::exp(digamma(count_[k] + kAlpha) - norm));
        count_[k] = 0;
      }
    }
  }

 private:
  int vocabulary_;
  std::vector<int64_t> starts_;
  std::vector<int32_t> words_;
  std::vector<int64_t> dense_;
  std::vector<int32_t> position_;
  std::vector<float> probability_, count_;
};

// exp(−λ |i/m − j/n|) for j = 1 … n, and its sum.
double diagonal(int i, int m, int n, double lambda, std::vector<double>& weight) {
  double sum = 0;
  for (int j = 0; j < n; ++j) {
    weight[j] = std::exp(-lambda * std::abs(double(i + 1) / m - double(j + 1) / n));
    sum += weight[j];
  }
  return sum;
}

// E[−|i/m − j/n|] under δ, for the gradient of λ.
double expected_distance(int m, int n, double lambda, std::vector<double>& weight) {
  double total = 0;
  for (int i = 0; i < m; ++i) {
    const double sum = diagonal(i, m, n, lambda, weight);
    double mean = 0;
    for (int j = 0; j < n; ++j) mean -= weight[j] * std::abs(double(i + 1) / m - double(j + 1) / n);
    total += mean / sum;
  }
  return total;
}

// For every target token the aligned source position, −1 for none.
void align_direction(Text source, Text target, int vocabulary, int iterations, int16_t* links) {
  Table table(source, target, vocabulary);
  double lambda = 4.0;
  std::vector<double> weight, posterior;
  std::vector<int64_t> cells;
  std::vector<int64_t> shapes(256 * 256, 0);
  for (int iteration = 0; iteration <= iterations; ++iteration) {
    const bool last = iteration == iterations;
    double empirical = 0, words = 0;
    std::fill(shapes.begin(), shapes.end(), 0);
    for (int64_t s = 0; s < source.sentences; ++s) {
      const int n = source.length(s), m = target.length(s);
      weight.resize(n), posterior.resize(n), cells.resize(n);
      if (n < 256 && m < 256) ++shapes[n * 256 + m];
      const double ratio = std::exp(lambda / n);
      for (int i = 0; i < m; ++i) {
        const int32_t f = target.sentence(s)[i];
        // The weights rise by a constant factor up to the diagonal and fall by it afterwards.
        double z = 0;
        const double centre = double(i + 1) / m * n;
        const int turn = std::min(n, static_cast<int>(centre));
        if (turn > 0) {
          double w = std::exp(-lambda * (centre - turn) / n);
          for (int j = turn - 1; j >= 0; --j, w /= ratio) weight[j] = w, z += w;
        }
        if (turn < n) {
          double w = std::exp(-lambda * (turn + 1 - centre) / n);
          for (int j = turn; j < n; ++j, w /= ratio) weight[j] = w, z += w;
        }
        const int64_t null_cell = table.find(vocabulary, f);
        const double null = kNull * table.probability(null_cell);
        double total = null;
        int best = -1;
        double best_value = null;
        for (int j = 0; j < n; ++j) {
          cells[j] = table.find(source.sentence(s)[j], f);
          posterior[j] = (1 - kNull) * weight[j] / z * table.probability(cells[j]);
          total += posterior[j];
          if (posterior[j] > best_value) best_value = posterior[j], best = j;
        }
        if (last) {
          links[target.offsets[s] + i] = static_cast<int16_t>(best);
          continue;
        }
        table.add(null_cell, static_cast<float>(null / total));
        for (int j = 0; j < n; ++j) {
          const double p = posterior[j] / total;
          table.add(cells[j], static_cast<float>(p));
          empirical -= p * std::abs(double(i + 1) / m - double(j + 1) / n);
        }
        words += 1;
      }
    }
    if (last) break;
    table.maximize();
    if (iteration > 0 && words > 0) {
      empirical /= words;
      for (int step = 0; step < 8; ++step) {
        double model = 0, counted = 0;
        std::vector<double> scratch(256);
        for (int n = 1; n < 256; ++n)
          for (int m = 1; m < 256; ++m)
            if (shapes[n * 256 + m]) {
              model += shapes[n * 256 + m] * expected_distance(m, n, lambda, scratch);
              counted += double(shapes[n * 256 + m]) * m;
            }
        lambda = std::clamp(lambda + (empirical - model / counted) * 20.0, 0.1, 14.0);
      }
    }
  }
}

// grow-diag-final-and (Koehn et al., 2005): from the intersection grow into neighbouring links of the union, then add
// links of either direction whose words are both still free.
void symmetrize(int n, int m, const int16_t* forward, const int16_t* backward, std::vector<uint8_t>& links) {
  std::vector<uint8_t> either(n * m, 0);
  links.assign(n * m, 0);
  std::vector<uint8_t> source_used(n, 0), target_used(m, 0);
  const auto add = [&](int j, int i) { links[j * m + i] = source_used[j] = target_used[i] = 1; };
  for (int i = 0; i < m; ++i) if (forward[i] >= 0) either[forward[i] * m + i] |= 1;
  for (int j = 0; j < n; ++j) if (backward[j] >= 0) either[j * m + backward[j]] |= 2;
  for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) if (either[j * m + i] == 3) add(j, i);
  for (bool grown = true; grown;) {
    grown = false;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        if (!links[j * m + i]) continue;
        for (int dj = -1; dj <= 1; ++dj)
          for (int di = -1; di <= 1; ++di) {
            const int a = j + dj, b = i + di;
            if (a < 0 || a >= n || b < 0 || b >= m || !either[a * m + b] || links[a * m + b]) continue;
            if (source_used[a] && target_used[b]) continue;
            add(a, b);
            grown = true;
          }
      }
  }
  for (int direction = 1; direction <= 2; ++direction)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        if ((either[j * m + i] & direction) && !source_used[j] && !target_used[i]) add(j, i);
}

// Links of all sentences as (source position << 16 | target position), and where each sentence's links begin.
std::tuple<at::Tensor, at::Tensor> align(const at::Tensor& source_tokens, const at::Tensor& source_offsets,
                                         const at::Tensor& target_tokens, const at::Tensor& target_offsets,
                                         int64_t vocabulary, int64_t iterations) {
  const int64_t sentences = source_offsets.numel() - 1;
  const Text source{source_tokens.const_data_ptr<int32_t>(), source_offsets.const_data_ptr<int64_t>(), sentences};
  const Text target{target_tokens.const_data_ptr<int32_t>(), target_offsets.const_data_ptr<int64_t>(), sentences};
  std::vector<int16_t> forward(target_tokens.numel()), backward(source_tokens.numel());
  std::thread other([&] { align_direction(target, source, int(vocabulary), int(iterations), backward.data()); });
  align_direction(source, target, int(vocabulary), int(iterations), forward.data());
  other.join();
  std::vector<int32_t> links;
  at::Tensor offsets = at::empty({sentences + 1}, source_offsets.options());
  int64_t* begin = offsets.mutable_data_ptr<int64_t>();
  std::vector<uint8_t> matrix;
  for (int64_t s = 0; s < sentences; ++s) {
    begin[s] = static_cast<int64_t>(links.size());
    const int n = source.length(s), m = target.length(s);
    symmetrize(n, m, forward.data() + target.offsets[s], backward.data() + source.offsets[s], matrix);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        if (matrix[j * m + i]) links.push_back(j << 16 | i);
  }
  begin[sentences] = static_cast<int64_t>(links.size());
  at::Tensor out = at::empty({static_cast<int64_t>(links.size())}, source_tokens.options());
  std::copy(links.begin(), links.end(), out.mutable_data_ptr<int32_t>());
  return {out, offsets};
}

}  // namespace

TORCH_LIBRARY(wanderwort_aligner, library) {
  library.def("align(Tensor source_tokens, Tensor source_offsets, Tensor target_tokens, Tensor target_offsets, "
              "int vocabulary, int iterations) -> (Tensor, Tensor)", &align);
}
