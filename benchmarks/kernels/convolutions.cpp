// Windowed products and their gradients, f32, one thread, beside oneDNN's convolutions: in the layout that a user's
// memory has (nchw, oihw), and in the layouts that oneDNN prefers, filled beforehand.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "harness.h"
#include "topos/kernel/task.h"

#ifdef TOPOS_PEER_ONEDNN
#include <dnnl.hpp>
#endif

namespace {

using topos::Extent;
using topos::kernel::Kind;

struct Shape {
  const char* name;
  Extent batch, channels, extent, filters, size, padding;

  Extent outputs() const { return extent + 2 * padding - size + 1; }
  Extent places() const { return batch * outputs() * outputs(); }
  Extent taps() const { return channels * size * size; }
  Extent padded() const { return extent + 2 * padding; }
  double flops() const { return 2.0 * static_cast<double>(places() * taps() * filters); }
};
constexpr Shape shapes[] = {
    {"MNIST 32x1x28x28, 8 of 3x3", 32, 1, 28, 8, 3, 0},
    {"CIFAR 32x3x32x32, 32 of 3x3", 32, 3, 32, 32, 3, 1},
    {"1x64x56x56, 64 of 3x3", 1, 64, 56, 64, 3, 1},
    {"8x64x56x56, 64 of 3x3", 8, 64, 56, 64, 3, 1},
};

/// Our task: its operands and result, each with its numbers.
struct Ours {
  topos::kernel::Prepared prepared;
  std::shared_ptr<float[]> operands[2], result, scratch;
  Extent size = 0;

  void run() const {
    const void* const places[] = {operands[0].get(), operands[1].get(), nullptr};
    prepared.run(prepared.task, places, result.get(), scratch.get());
  }
};

Ours ours_of(Kind kind, const Shape& s) {
  using topos::kernel::View;
  const auto type = [](const topos::Shape& shape) { return topos::kernel::contiguous({topos::f32, shape}); };
  const auto image = type({s.batch, s.channels, s.extent, s.extent}), cotangent = type({s.places(), s.filters});
  const View matrix{topos::f32, {s.taps(), s.filters}, {1, s.taps()}};  // weights [f, c, kh, kw] as a plan reads them
  topos::kernel::Task task;
  task.kind = kind;
  task.operand_count = 2;
  task.rows = {s.size, 1, 1, s.padding};
  if (kind == Kind::window_product) {
    task.operands[0] = image, task.operands[1] = matrix, task.result = cotangent;
  } else if (kind == Kind::window_kernel_gradient) {
    task.operands[0] = image, task.operands[1] = cotangent, task.result = type({s.taps(), s.filters});
  } else {
    task.operands[0] = cotangent, task.operands[1] = {topos::f32, {s.filters, s.taps()}, {s.taps(), 1}};
    task.result = type({s.batch, s.channels, s.padded(), s.padded()});
    task.rows.padding = 0;
  }
  task.columns = task.rows;
  Ours ours{topos::kernel::prepare(task), {}, {}, {}, task.result.shape.volume()};
  for (std::size_t k = 0; k < 2; ++k)
    ours.operands[k] = bench::numbers<float>(static_cast<std::size_t>(task.operands[k].shape.volume()), k + 1);
  ours.result = bench::numbers<float>(static_cast<std::size_t>(ours.size), 3);
  ours.scratch = bench::numbers<float>(ours.prepared.scratch_bytes / sizeof(float) + 1, 4);
  return ours;
}

#ifdef TOPOS_PEER_ONEDNN
/// oneDNN's primitive for one kind of work, and its memory: plain, or as it likes it best.
class Peer {
 public:
  Peer(Kind kind, const Shape& s, bool plain) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    if (auto* one_thread = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) one_thread(1);
    using tag = dnnl::memory::format_tag;
    const auto form = [&](const dnnl::memory::dims& dims, tag layout) {
      return dnnl::memory::desc(dims, dnnl::memory::data_type::f32, plain ? layout : tag::any);
    };
    const auto x = form({s.batch, s.channels, s.extent, s.extent}, tag::nchw);
    const auto w = form({s.filters, s.channels, s.size, s.size}, tag::oihw);
    const auto y = form({s.batch, s.filters, s.outputs(), s.outputs()}, tag::nchw);
    const dnnl::memory::dims steps{1, 1}, zeros{s.padding, s.padding};
    constexpr auto direct = dnnl::algorithm::convolution_direct;
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, direct, x, w, y, steps, zeros, zeros}, engine_);
    if (kind == Kind::window_product) {
      take(forward.src_desc(), forward.weights_desc(), forward.dst_desc());
      primitive_ = dnnl::convolution_forward(forward);
      arguments_ = {{DNNL_ARG_SRC, x_}, {DNNL_ARG_WEIGHTS, w_}, {DNNL_ARG_DST, y_}};
    } else if (kind == Kind::window_kernel_gradient) {
      const dnnl::convolution_backward_weights::primitive_desc backward({direct, x, w, y, steps, zeros, zeros}, engine_,
                                                                        forward);
      take(backward.src_desc(), backward.diff_weights_desc(), backward.diff_dst_desc());
      primitive_ = dnnl::convolution_backward_weights(backward);
      arguments_ = {{DNNL_ARG_SRC, x_}, {DNNL_ARG_DIFF_WEIGHTS, w_}, {DNNL_ARG_DIFF_DST, y_}};
    } else {
      const dnnl::convolution_backward_data::primitive_desc backward({direct, x, w, y, steps, zeros, zeros}, engine_,
                                                                     forward);
      take(backward.diff_src_desc(), backward.weights_desc(), backward.diff_dst_desc());
      primitive_ = dnnl::convolution_backward_data(backward);
      arguments_ = {{DNNL_ARG_DIFF_SRC, x_}, {DNNL_ARG_WEIGHTS, w_}, {DNNL_ARG_DIFF_DST, y_}};
    }
  }
  void run() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }
  float* x() const { return static_cast<float*>(x_.get_data_handle()); }
  float* w() const { return static_cast<float*>(w_.get_data_handle()); }
  float* y() const { return static_cast<float*>(y_.get_data_handle()); }

 private:
  dnnl::memory memory_of(const dnnl::memory::desc& form) {
    kept_.push_back(bench::numbers<float>(form.get_size() / sizeof(float) + 1, kept_.size() + 1));
    return dnnl::memory(form, engine_, kept_.back().get());
  }
  void take(const dnnl::memory::desc& x, const dnnl::memory::desc& w, const dnnl::memory::desc& y) {
    x_ = memory_of(x), w_ = memory_of(w), y_ = memory_of(y);
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::memory x_, w_, y_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::vector<std::shared_ptr<float[]>> kept_;
};

/// Calls `each` with a place in our memory and one in the peer's plain one, for the image's and the cotangent's
/// numbers.
template <class Each>
void each_image(const Shape& s, bool padded, Each&& each) {
  const auto ours = padded ? s.padded() : s.extent, ring = padded ? s.padding : 0;
  for (Extent plane = 0; plane < s.batch * s.channels; ++plane)
    for (Extent y = 0; y < s.extent; ++y)
      for (Extent x = 0; x < s.extent; ++x)
        each((plane * ours + y + ring) * ours + x + ring, (plane * s.extent + y) * s.extent + x);
}
template <class Each>
void each_cotangent(const Shape& s, Each&& each) {
  const auto places = s.outputs() * s.outputs();
  for (Extent item = 0; item < s.batch; ++item)
    for (Extent place = 0; place < places; ++place)
      for (Extent filter = 0; filter < s.filters; ++filter)
        each((item * places + place) * s.filters + filter, (item * s.filters + filter) * places + place);
}

/// Ours and the peer's, over the same numbers, agree.
void compare(Kind kind, const Shape& s, const Ours& ours, Peer& peer) {
  double scale = 0, difference = 0;
  const float* theirs = nullptr;
  const auto give = [](float* to, const float* from) { return [=](Extent i, Extent j) { to[j] = from[i]; }; };
  const auto judge = [&](Extent i, Extent j) {
    const double a = ours.result[static_cast<std::size_t>(i)], b = theirs[j];
    scale = std::max(scale, std::fabs(b));
    difference = std::max(difference, std::fabs(a - b));
  };
  const auto weights = s.taps() * s.filters;
  if (kind != Kind::window_input_gradient) each_image(s, false, give(peer.x(), ours.operands[0].get()));
  if (kind != Kind::window_kernel_gradient) std::copy_n(ours.operands[1].get(), weights, peer.w());
  if (kind == Kind::window_kernel_gradient) each_cotangent(s, give(peer.y(), ours.operands[1].get()));
  if (kind == Kind::window_input_gradient) {
    std::copy_n(ours.operands[1].get(), weights, peer.w());
    each_cotangent(s, give(peer.y(), ours.operands[0].get()));
  }
  ours.run();
  peer.run();
  if (kind == Kind::window_product) {
    theirs = peer.y();
    each_cotangent(s, judge);
  } else if (kind == Kind::window_kernel_gradient) {
    theirs = peer.w();
    for (Extent i = 0; i < weights; ++i) judge(i, i % s.filters * s.taps() + i / s.filters);
  } else {
    theirs = peer.x();
    each_image(s, true, judge);
  }
  if (!(difference <= 1e-4 * scale)) throw std::runtime_error(fmt::format("{} differs from oneDNN's", name_of(kind)));
}
#endif

bench::Contest contest(Kind kind, const Shape& s) {
  const auto ours = std::make_shared<Ours>(ours_of(kind, s));
  bench::Contest contest{{"topos", [ours] { ours->run(); }}, {}, {}};
#ifdef TOPOS_PEER_ONEDNN
  const auto plain = std::make_shared<Peer>(kind, s, true), best = std::make_shared<Peer>(kind, s, false);
  contest.theirs = {{"oneDNN plain", [plain] { plain->run(); }}, {"oneDNN any", [best] { best->run(); }}};
  contest.check = [=] { compare(kind, s, *ours, *plain); };
#endif
  return contest;
}

const bench::Rows convolutions([] {
  for (const auto& [kind, group] : {std::pair{Kind::window_product, "convolutions, forward"},
                                    std::pair{Kind::window_input_gradient, "convolutions, gradient of the image"},
                                    std::pair{Kind::window_kernel_gradient, "convolutions, gradient of the kernel"}})
    for (const auto& s : shapes)
      bench::add({group, s.name, s.flops(), "GFLOP/s", [kind = kind, &s] { return contest(kind, s); }});
});

}  // namespace
