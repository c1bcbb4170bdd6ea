// A table of a box, as fugu sbox table and spectrum name it.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options.hpp"
#include "cli/sbox/boxes.hpp"

namespace fugu::cli {

enum class TableName : std::uint8_t { ddt, lat, act, dlct, bct, fbct, dbct, sac, ubct, lbct, ebct };
enum class Scale : std::uint8_t { walsh, bias, correlation };

struct TableRequest {
  const Arguments& arguments;
  TableName table;
  Scale scale;
  NamedBox named;
  unsigned threads;
};

// Reads the box. Throws Error{usage}.
TableRequest table_request(const Arguments& arguments);

// "LAT of AES"
std::string title_of(const TableRequest& request);

}  // namespace fugu::cli
