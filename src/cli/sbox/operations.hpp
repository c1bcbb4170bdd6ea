// The operations of fugu sbox, one or a few to a source file, and what most of them use.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "cli/lab/work.hpp"
#include "cli/options.hpp"
#include "cli/process/console.hpp"
#include "cli/process/json.hpp"
#include "cli/sbox/boxes.hpp"
#include "cli/sbox/engine.hpp"
#include "cli/sbox/write.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {

// --weak-keys FIRST:COUNT: the eight-byte keys, as big-endian numbers, under which an S-box has two equal
// entries (Vaudenay, FSE 1996). One line each: key, S-box, x, y, S(x) = S(y).
void run_weak_keys(const Arguments& arguments);

// --random-keys: S-boxes of the keys of cipher::random_key() from --seed on, compared with its random boxes.
void run_key_statistics(const Arguments& arguments);

void run_report(const Arguments& arguments);
void run_components(const Arguments& arguments);
void run_box_anf(const Arguments& arguments);

// Whether anf prints polynomials over --field.
bool prints_univariate(const Arguments& arguments);
void run_invariants(const Arguments& arguments);

void run_spectrum(const Arguments& arguments);
void run_table(const Arguments& arguments);
void run_model(const Arguments& arguments);

// Returns the exit status: kSuccess for equivalent boxes, kUndecided if that is not known. Throws
// Error{mismatch} if the boxes are shown to be inequivalent.
int run_compare(const Arguments& arguments);

// --relation; empty: not given.
std::optional<spectral::Equivalence> relation_of(const Arguments& arguments);

// Throws Error{engine} for maps that are none from S to T: nothing found is written unchecked.
void check_maps(const spectral::Witness& witness, const spectral::SBox& s, const spectral::SBox& t);

// Says it, and returns kUndecided.
int unfinished(std::string_view what);

// The same statuses, but kSuccess for a box in no list.
int run_canonical(const Arguments& arguments);
int run_class(const Arguments& arguments);

// The same statuses, for what the Walsh-zero spaces of a box show.
int run_spaces(const Arguments& arguments);
int run_permutation(const Arguments& arguments);
int run_classes(const Arguments& arguments);
int run_tu(const Arguments& arguments);

}  // namespace fugu::cli
