#include "common/interrupt.hpp"

#include <chrono>

#include "common/bindings.hpp"

namespace kataribe {

Stop*& stop_of_this_thread() {
  thread_local Stop* stop = nullptr;
  return stop;
}

void look_for_interrupt() {
  if (const Stop* stop = stop_of_this_thread()) {
    if (!stop->is_set()) return;
    nb::gil_scoped_acquire acquire;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  using Clock = std::chrono::steady_clock;
  constexpr auto kBetweenLooks = std::chrono::milliseconds(100);  // Python may be busy, and then the GIL costs a wait
  thread_local Clock::time_point last = Clock::now();
  const Clock::time_point now = Clock::now();
  if (now - last < kBetweenLooks) return;
  last = now;
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_interrupt(nb::module_& m) {
  nb::class_<Stop>(m, "Stop", "Ends the native computations of the threads that entered it, once it is set.")
      .def(nb::init<>())
      .def("set", &Stop::set)
      .def("__enter__", [](Stop& self) { stop_of_this_thread() = &self; })
      .def("__exit__", [](Stop&, nb::args) { stop_of_this_thread() = nullptr; });
}

}  // namespace kataribe
