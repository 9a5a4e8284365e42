// Ctrl-C in the middle of a long computation: loops that may run for long call check_interrupt() now and then.
//
// A thread of an engine carries a Stop, which the engine sets when it gives up; this costs no GIL. Every other thread
// asks Python for signals a few times a second; only the main thread ever finds one.
#pragma once

#include <atomic>
#include <cstdint>

namespace kataribe {

class Stop {
 public:
  void set() { is_set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return is_set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_ = false;
};

// The Stop of this thread, or null.
Stop*& stop_of_this_thread();

// Raises KeyboardInterrupt if the computation is no longer wanted. Call it without the GIL or with it.
void look_for_interrupt();

// Cheap enough for inner loops: looks once per `work` units that were reported.
class InterruptCheck {
 public:
  void operator()(std::uint64_t work = 1) {
    done_ += work;
    if (done_ < kWorkBetweenLooks) return;
    done_ = 0;
    look_for_interrupt();
  }

 private:
  static constexpr std::uint64_t kWorkBetweenLooks = 1 << 16;
  std::uint64_t done_ = 0;
};

}  // namespace kataribe
