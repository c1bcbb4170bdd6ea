// Opening damaged files: one policy for all formats.
//
// Without Job::salvage damage is an error, and nothing of the output stays. With it a codec writes what holds
// and notes what it found: what is lost inside becomes zeros where the format knows its place, what follows
// stays, and checks at the end are noted instead of thrown. The secret still has to fit. A codec needs these
// functions for that and nothing else; one that uses none still keeps what it wrote before it threw.
//
// A file may also be whole but for what happened on its way: a transfer as text, zeros up to the end of a
// tape's block. What opens once that is undone is told, and with salvage opened so.
#pragma once

#include <memory>

#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/recognition.hpp"

namespace fugu::format {

// What ciphers say of an end that is damaged.
inline constexpr const char* kEndsInsideBlock = "the data ends inside a block, which is left out";
inline constexpr const char* kEndsWithoutPadding =
    "the data does not end in padding: nothing was taken off its end";

// Adds `text` to the report, once. Thread-safe: a source and a sink of one job may both find damage.
void note_damage(SalvageReport& report, const std::string& text);

// Runs `step` and returns true. Where the job salvages, Error{damaged} is noted, and the result is false.
template <class Step>
bool holds(const Job& job, Step step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (job.salvage == nullptr || error.code() != Errc::damaged) throw;
    note_damage(*job.salvage, error.text());
    return false;
  }
}

// The same of one condition: `damage` says what is wrong where it is false.
inline bool holds(const Job& job, bool is_right, const char* damage) {
  return holds(job, [&] {
    if (!is_right) throw Error(Errc::damaged, damage);
  });
}

// Passes everything on to `parser` until it finds damage; `job` and `parser` outlive it.
std::unique_ptr<stream::Sink> up_to_damage(const Job& job, stream::Sink& parser);

// Decodes base64 or hexadecimal digits of a damaged text. What is no digit counts as one of zero bits, so
// that the rest keeps its place.
std::unique_ptr<stream::Source> damaged_text(SalvageReport& report, std::unique_ptr<stream::Source> text,
                                             TextEncoding encoding);

// "bytes 16-47 failed authentication; the end of the file is missing or damaged": what did not come.
FUGU_EXPORT std::string what_is_lost(const SalvageReport& report);

// "has zeros there, and is authentic elsewhere": the state of the `bytes` that came.
FUGU_EXPORT std::string what_came(const Opened& opened, std::uint64_t bytes);

// Decrypts `input`, of which the job's source is the decoded content. Throws as Codec::open; Error{damaged}
// says what happened to the file where that is known. Where `salvages`, writes what can be saved.
Opened open_input(const Codec& codec, const Job& job, const OpenRequest& request, stream::Source& input,
                  TextEncoding encoding, bool salvages);

// Whether that would write anything where it salvages; unless the caller `knows_secret`, whether it would ask
// for it. Nothing of `job` changes.
bool can_save(const Codec& codec, const Job& job, const OpenRequest& request, bool knows_secret,
              stream::Source& input, TextEncoding encoding);

}  // namespace fugu::format
