// kataribe._native: the C++ core, compiled for each kind of processor under a name of its own. Every function is pure,
// single-threaded and releases the GIL while it computes, so that the engine can run shards side by side on Python
// threads.
#include "common/bindings.hpp"

namespace kataribe {
void bind_bert(nb::module_& m);
void bind_bleu(nb::module_& m);
void bind_boundary_frames(nb::module_& m);
void bind_boundary_matching(nb::module_& m);
void bind_boundary_players(nb::module_& m);
void bind_cider(nb::module_& m);
void bind_correlation(nb::module_& m);
void bind_greedy(nb::module_& m);
void bind_interrupt(nb::module_& m);
void bind_lcs(nb::module_& m);
void bind_meteor(nb::module_& m);
void bind_ngram_index(nb::module_& m);
void bind_ngram_keys(nb::module_& m);
void bind_ptb(nb::module_& m);
void bind_ranking(nb::module_& m);
void bind_stories(nb::module_& m);
void bind_token_index(nb::module_& m);
}  // namespace kataribe

NB_MODULE(KATARIBE_MODULE, m) {
  kataribe::bind_bert(m);
  kataribe::bind_bleu(m);
  kataribe::bind_boundary_frames(m);
  kataribe::bind_boundary_matching(m);
  kataribe::bind_boundary_players(m);
  kataribe::bind_cider(m);
  kataribe::bind_correlation(m);
  kataribe::bind_greedy(m);
  kataribe::bind_interrupt(m);
  kataribe::bind_lcs(m);
  kataribe::bind_meteor(m);
  kataribe::bind_ngram_index(m);
  kataribe::bind_ngram_keys(m);
  kataribe::bind_ptb(m);
  kataribe::bind_ranking(m);
  kataribe::bind_stories(m);
  kataribe::bind_token_index(m);
}
