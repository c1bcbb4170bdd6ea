// Files whose lines, fields or values are messages of their own: --lines, --csv with --column, --match.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/cipher/request.hpp"
#include "cli/cipher/run.hpp"
#include "cli/process/json.hpp"

namespace fugu::cli {

// Empty without --lines, --csv and --match. Throws Error{usage} for options that cannot be combined with
// them.
std::optional<format::LinesOptions> lines_options(const Arguments& arguments, const format::Codec* codec,
                                                  core::Direction direction,
                                                  const std::optional<TextForm>& text);

// As encrypt() and decrypt(), for a request with `lines`.
std::string encrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                          stream::Source& source, stream::Sink& sink);

// In the result, `all_content` means that no message was left as it was.
format::Opened decrypt_lines(const CipherRequest& request, Observer& observer, const Share& share,
                             stream::Source& source, stream::Sink& sink, format::LinesReport& report);

// Throws Error{unknown_format} for text that --lines is for, but that is to be one message. Reads the text's
// beginning and returns the whole again.
std::unique_ptr<stream::Source> require_one_message(const CipherRequest& request, Observer& observer,
                                                    std::unique_ptr<stream::Source> source);

// Names the messages that did not open; `state` is what became of them: "; left as it is". Returns the exit
// status.
int report_left(const std::string& input, const CipherRequest& request, const format::LinesReport& report,
                std::string_view state);

// The keys of a row of JSON: "messages", "opened" and "left".
void add_to_row(nlohmann::ordered_json& row, const CipherRequest& request, const format::LinesReport& report);

// "37 of 40 lines open"
std::string count_text(const CipherRequest& request, const format::LinesReport& report);

}  // namespace fugu::cli
