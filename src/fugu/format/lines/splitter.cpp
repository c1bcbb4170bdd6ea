// The lines of a text. LF and CR LF end a line; a CR alone does not.
#include "fugu/format/lines/detail/splitter.hpp"

namespace fugu::format {
namespace {

class LineSplitter final : public Splitter {
 public:
  std::size_t split(std::string_view text, bool last, std::vector<Cell>& cells) override {
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t feed = text.find('\n', at);
      if (feed == text.npos && !last) break;
      std::size_t end = feed == text.npos ? text.size() : feed;
      if (feed != text.npos && end > at && text[end - 1] == '\r') --end;
      if (end > at) cells.push_back({.begin = at, .end = end, .line = line_});
      at = feed == text.npos ? text.size() : feed + 1;
      ++line_;
    }
    return at;
  }

  std::uint64_t line() const override { return line_; }

 private:
  std::uint64_t line_ = 1;
};

}  // namespace

std::unique_ptr<Splitter> line_splitter() {
  return std::make_unique<LineSplitter>();
}

}  // namespace fugu::format
