// The one table of options: every option is documented, parsed, and in the manual and the completion.
#include "cli/options.hpp"

#include <fstream>

#include "cli/check/checks.hpp"
#include "cli/help/help.hpp"
#include "cli/process/console.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/table/subcommands.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/option.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "stream/scratch.hpp"
#include "support/made_engine.hpp"
#include "support/testing.hpp"

namespace fugu::cli {
namespace {

using engine::Op;
using engine::Segment;
using spectral::cuda::SmallBoxSummary;
using test::MadeEngine;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Check>
void for_each_option(Check check) {
  std::size_t options = 0;
  for (const Subcommand& subcommand : subcommands()) {
    for (const OptionGroup* group : subcommand.groups) {
      for (const OptionSpec& option : group->options) {
        SCOPED_TRACE(std::string(subcommand.name) + " --" + std::string(option.name));
        check(subcommand, option);
        ++options;
      }
    }
  }
  EXPECT_GT(options, 80u);
}

std::string dashed(const OptionSpec& option) {
  return "--" + std::string(option.name);
}

std::string manual_name(const OptionSpec& option) {
  std::string text = "\\fB\\-\\-";
  for (const char c : option.name) text += c == '-' ? std::string("\\-") : std::string(1, c);
  return text + "\\fR";
}

std::string help_of_formats(const Subcommand& subcommand) {
  std::string text;
  for (const OptionGroup* group : subcommand.groups)
    if (!group->format.empty()) text += help_text(subcommand, group->format);
  return text;
}

TEST(Table, EveryOptionIsDocumented) {
  const std::string manual = manual_page();
  const std::string bash = completion("bash"), zsh = completion("zsh"), fish = completion("fish");
  for_each_option([&](const Subcommand& subcommand, const OptionSpec& option) {
    EXPECT_GE(option.help.size(), 10u);
    EXPECT_THAT(help_text(subcommand) + help_of_formats(subcommand), HasSubstr(dashed(option)));
    EXPECT_THAT(manual, HasSubstr(manual_name(option)));
    EXPECT_THAT(bash, HasSubstr(dashed(option)));
    EXPECT_THAT(zsh, HasSubstr(dashed(option)));
    EXPECT_THAT(fish, HasSubstr("-l " + std::string(option.name) + " "));
  });
}

// Appends those without which `option` means nothing.
void append_needed(const Subcommand& subcommand, const OptionSpec& option, std::vector<std::string>& tokens) {
  const auto is_needed = [&](const OptionSpec& other) {
    return std::ranges::any_of(subcommand.groups, [&](const OptionGroup* group) {
      return std::ranges::count(group->needs, OptionPair{option.name, other.name}) != 0;
    });
  };
  for (const OptionGroup* group : subcommand.groups)
    for (const OptionSpec& other : group->options)
      if (is_needed(other)) tokens.push_back(dashed(other) + (other.argument.empty() ? "" : "=value"));
}

TEST(Table, EveryOptionIsParsedByBothNames) {
  for_each_option([](const Subcommand& subcommand, const OptionSpec& option) {
    std::vector<std::string> names{dashed(option)};
    if (option.letter != 0) names.push_back(std::string("-") + option.letter);
    const std::string_view value = option.takes_words_alone ? option.words.front() : "value";
    for (const std::string& name : names) {
      std::vector<std::string> tokens{name};
      if (!option.argument.empty()) tokens.emplace_back(value);
      append_needed(subcommand, option, tokens);
      const Arguments arguments = parse(subcommand, tokens);
      EXPECT_TRUE(arguments.has(option.name));
      EXPECT_EQ(arguments.value(option.name), option.argument.empty() ? "" : value);
      EXPECT_TRUE(arguments.operands().empty());
    }
  });
}

// The names of a subcommand's options, of one format and those that are of none.
std::vector<std::string> names_under(const Subcommand& subcommand, std::string_view format) {
  std::vector<std::string> names;
  for (const OptionGroup* group : subcommand.groups) {
    if (!group->format.empty() && group->format != format) continue;
    for (const OptionSpec& option : group->options) {
      names.push_back(dashed(option));
      if (option.letter != 0) names.push_back(std::string("-") + option.letter);
    }
  }
  std::ranges::sort(names);
  return names;
}

TEST(Table, NoNameStandsTwiceUnderAFormat) {
  for (const Subcommand& subcommand : subcommands()) {
    for (const format::Codec* codec : format::codecs()) {
      const std::vector<std::string> names = names_under(subcommand, codec->name);
      EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << subcommand.name << codec->name;
    }
  }
}

// An option that several formats have is a value in all of them or a flag in all: it is parsed before the
// format is known.
TEST(Table, FormatsAgreeOnWhetherAnOptionHasAValue) {
  std::map<std::string, bool> has_value;
  for (const format::Codec* codec : format::codecs())
    for (const format::OptionRow& row : codec->options) {
      const bool takes = row.type != format::OptionType::flag;
      EXPECT_EQ(has_value.emplace(row.name, takes).first->second, takes) << codec->name << row.name;
    }
}

TEST(Table, HelpFitsEightyColumns) {
  for (const Subcommand& subcommand : subcommands()) {
    std::istringstream lines(help_text() + help_text(subcommand));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(Parse, OptionsMayFollowOperandsAndBeJoined) {
  const Arguments arguments = parse(find_subcommand("encrypt"), {"a", "-qfT3", "--quiet", "--iter=7", "b"});
  EXPECT_THAT(arguments.operands(), ElementsAre("a", "b"));
  EXPECT_TRUE(arguments.has("quiet"));
  EXPECT_TRUE(arguments.has("force"));
  EXPECT_EQ(arguments.value("threads"), "3");
  EXPECT_EQ(arguments.value("iter"), "7");
}

TEST(Values, Sizes) {
  const Subcommand& encrypt = find_subcommand("encrypt");
  const auto chunk = [&](const std::string& text) {
    return size_value(parse(encrypt, {"--chunk", text}), "chunk", 4096, 1 << 25, 0);
  };
  EXPECT_EQ(chunk("4096"), 4096u);
  EXPECT_EQ(chunk("64K"), 65536u);
  EXPECT_EQ(chunk("32M"), 33554432u);
  EXPECT_EQ(chunk("64KiB"), 65536u);
  EXPECT_EQ(chunk("32MiB"), 33554432u);
  for (const char* wrong : {"", "K", "4095", "33M", "1G", "-1", " 8192", "8192k", "0x4000", "iB", "KiB",
                            "8192iB", "64KB", "64Ki", "99999999999999999999", "18446744073709551615G"}) {
    EXPECT_THROW(chunk(wrong), Error) << wrong;
  }
}

TEST(Values, SizesReachSixtyFourBits) {
  EXPECT_EQ(format::parse_size("17179869183G"), 17179869183u * (std::uint64_t{1} << 30));
  EXPECT_EQ(format::parse_size("17179869184G"), std::nullopt);
  EXPECT_EQ(format::parse_size("1GiB"), std::uint64_t{1} << 30);
}

TEST(Values, NearestWord) {
  const std::vector<std::string_view> words{"encrypt", "decrypt", "pass", "key", "iv"};
  EXPECT_EQ(format::nearest_word("encrytp", words), "encrypt");  // letters swapped
  EXPECT_EQ(format::nearest_word("dcrypt", words), "decrypt");   // a letter left out
  EXPECT_EQ(format::nearest_word("passphrase", words), "pass");  // a common beginning
  EXPECT_EQ(format::nearest_word("ky", words), "key");
  for (const char* none : {"", "x", "verify", "iw-far-away", "zzz"})
    EXPECT_EQ(format::nearest_word(none, words), std::nullopt) << none;
}

TEST(Values, Hex) {
  std::byte two[2];
  EXPECT_TRUE(format::parse_hex("0aF9", two));
  EXPECT_EQ(two[0], std::byte{0x0a});
  EXPECT_EQ(two[1], std::byte{0xf9});
  for (const char* wrong : {"", "0a", "0af", "0afg", "0x0a", "0af9 ", "0a 9"})
    EXPECT_FALSE(format::parse_hex(wrong, two)) << wrong;
}

TEST(Details, NameTheFormatsThatProcessesShare) {
  EXPECT_EQ(details_with_formats("Formats: {divisible}."),
            "Formats: sealed, openssl, truecrypt, vnd, plain, raw.");
}

// The self-test must be able to fail. These tests give it engines that are each wrong in one small way.

constexpr std::uint64_t kRounds = 200;

// Runs a good engine, then changes its output in one way.
MadeEngine broken(const std::function<void(Op, std::span<const Segment>)>& damage) {
  return MadeEngine([damage](engine::Engine& good, Op op, std::span<const Segment> segments) {
    good.run(op, segments);
    damage(op, segments);
  });
}

void flip(std::byte& byte) {
  byte ^= std::byte{1};
}

TEST(EngineCheck, AGoodEngineAgrees) {
  for (const engine::EngineInfo& info : engine::list()) {
    if (!info.available) continue;
    const Verdict verdict = check_engine(*engine::make(info.name), kRounds, 7);
    EXPECT_EQ(verdict.difference, "") << info.name;
    EXPECT_GT(verdict.counts[0].second, 30u);
    EXPECT_EQ(verdict.counts[1].second, kRounds);
  }
}

TEST(EngineCheck, OneWrongBitFailsAtAVector) {
  MadeEngine engine = broken([](Op, std::span<const Segment> segments) {
    if (!segments.empty() && !segments[0].out.empty()) flip(segments[0].out.back());
  });
  EXPECT_THAT(check_engine(engine, kRounds, 7).difference, HasSubstr("vector "));
}

// No published vector is long enough to show these faults.
TEST(EngineCheck, AWrongBlockFarBehindTheFirstFails) {
  MadeEngine engine = broken([](Op, std::span<const Segment> segments) {
    for (const Segment& segment : segments) {
      if (segment.out.size() > 8 * 512) flip(segment.out[8 * 512]);
    }
  });
  const Verdict verdict = check_engine(engine, kRounds, 7);
  EXPECT_GT(verdict.counts[0].second, 0u);
  EXPECT_THAT(verdict.difference, HasSubstr("differs from OpenSSL"));
}

TEST(EngineCheck, EachOperationIsCrossChecked) {
  const std::pair<Op, const char*> operations[] = {{Op::ecb_encrypt, "ecb encryption"},
                                                   {Op::ecb_decrypt, "ecb decryption"},
                                                   {Op::ctr, "ctr"},
                                                   {Op::cbc_decrypt, "cbc decryption"},
                                                   {Op::cfb_decrypt, "cfb decryption"}};
  for (const auto& [operation, name] : operations) {
    MadeEngine engine = broken([which = operation](Op op, std::span<const Segment> segments) {
      if (op == which && segments.size() > 1 && !segments.back().out.empty()) flip(segments.back().out[0]);
    });
    EXPECT_THAT(check_engine(engine, kRounds, 7).difference, HasSubstr(name));
  }
}

TEST(EngineCheck, APositionThatIsIgnoredFails) {
  MadeEngine engine([](engine::Engine& good, Op op, std::span<const Segment> segments) {
    std::vector<Segment> changed(segments.begin(), segments.end());
    for (Segment& segment : changed) segment.first_block = 0;
    good.run(op, changed);
  });
  EXPECT_THAT(check_engine(engine, kRounds, 7).difference, HasSubstr("ctr differs from OpenSSL"));
}

// Makes lines of a batch from summaries of small boxes. On a GPU, kernels make the summaries; here the CPU's
// functions do, which tests/spectral compares with the definitions.

struct Summarizer {
  std::vector<std::size_t> batches{};  // the number of boxes of each call

  std::vector<SmallBoxSummary> operator()(int inputs, int outputs, std::span<const std::uint8_t> values) {
    const std::size_t size = std::size_t{1} << inputs;
    std::vector<SmallBoxSummary> summaries;
    for (std::size_t at = 0; at < values.size(); at += size) {
      const auto box = values.subspan(at, size);
      const spectral::SBox s(inputs, outputs, {box.begin(), box.end()});
      summaries.push_back({.linearity = static_cast<std::uint16_t>(spectral::linear(s).linearity),
                           .uniformity = static_cast<std::uint16_t>(spectral::differential(s).uniformity),
                           .degree = static_cast<std::int8_t>(spectral::degree(s))});
    }
    batches.push_back(summaries.size());
    return summaries;
  }
};

// Returns a line per box, with random shapes up to 9 inputs and 16 outputs, which the values show.
std::string random_boxes(int count) {
  std::mt19937 bits(1);
  const auto random = [&] { return static_cast<unsigned>(bits()); };
  std::string text;
  for (int i = 0; i < count; ++i) {
    const unsigned inputs = 1 + random() % 5 + (i % 16 == 0 ? 4 : 0);
    const unsigned outputs = inputs + random() % 4 + (i % 8 == 0 ? 4 : 0), top = 1u << (outputs - 1);
    const bool constant = random() % 8 == 0;
    const unsigned value = top | random() % top;
    for (unsigned x = 0; x < 1u << inputs; ++x)
      text += std::to_string(constant ? value : (x % 2 == 0 ? top : 0) | random() % (2 * top)) + " ";
    text += '\n';
  }
  return text;
}

TEST(SboxBatch, SummariesMakeTheLinesOfEachBoxMeasuredAlone) {
  prepare_process();
  const stream::Scratch scratch;
  const std::string path = scratch.path("boxes");
  std::ofstream(path) << random_boxes(100);
  for (const char* fields : {"du,linearity,nl,deg", "nl", "deg,du"}) {
    const Arguments arguments =
        parse(find_subcommand("sbox"), {"report", "--batch", "--engine", "cpu", "--only", fields, path});
    const ReportOptions options = report_options(arguments);
    ASSERT_TRUE(summaries_suffice(options));
    const Boxes boxes(path, arguments);
    ASSERT_EQ(boxes.size(), 100);
    Summarizer summarize;
    EXPECT_EQ(summary_lines(boxes, options, std::ref(summarize)),
              batch_lines(boxes, options, arguments).text);
    EXPECT_GT(summarize.batches.size(), 20);  // the batch has as many shapes
    EXPECT_GT(*std::max_element(summarize.batches.begin(), summarize.batches.end()), 2);
  }
}

TEST(SboxBatch, OtherFieldsAreNotInSummaries) {
  for (const char* fields : {"basic", "linear", "du,linear", "du,apn", "deg_inv"}) {
    const Arguments arguments = parse(find_subcommand("sbox"), {"report", "--batch", "--only", fields, "-"});
    EXPECT_FALSE(summaries_suffice(report_options(arguments))) << fields;
  }
  const Arguments everything = parse(find_subcommand("sbox"), {"report", "--batch", "-"});
  EXPECT_FALSE(summaries_suffice(report_options(everything)));
}

}  // namespace
}  // namespace fugu::cli
