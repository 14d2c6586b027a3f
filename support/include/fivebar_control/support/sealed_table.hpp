// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{

/// The form of all tables that we write: '# ' lines of YAML (the header), a line of column names,
/// rows of numbers, and '# ' lines of YAML that close it: what is known only at the end, the number
/// of rows, and a checksum of every byte above them. A table that was cut or edited is noticed.
/// Files of schema 1 have the checksum of their rows alone, plans among them in the header.
struct SealedKind
{
  const char * content;  ///< "run log": stands in the header
  const char * writer;   ///< "fivebar run --log": for those who give another file
  int schema;            ///< the newest that is understood, and the one that is written
  std::size_t largest_file;
};

/// The `content` of a text that begins like a sealed table; empty for any other text.
std::string sealed_content(std::string_view text);

/// Writes a table piece by piece; the pieces go to `output` in their order.
class SealedWriter
{
public:
  using Output = std::function<void(std::string_view)>;

  /// Writes the header, `header` in it as lines of YAML, and the names.
  SealedWriter(
    Output output, const SealedKind & kind, std::string_view header,
    const std::vector<std::string> & names);

  /// Whole lines.
  void write_rows(std::string_view rows);
  std::int64_t rows() const { return rows_; }

  /// Writes the lines that close the table, `ending` among them as lines of YAML.
  void close(std::string_view ending = {});

private:
  void put(std::string_view text);

  Output output_;
  Checksum checksum_;
  std::int64_t rows_ = 0;
};

struct SealedTable
{
  int schema = 0;
  YamlMap header, ending;
  CsvTable rows;
};

/// Reads a table of this kind. Throws InputError that says what and where if it is of another kind,
/// newer than this program, cut or edited, or if a column of `names` is missing.
SealedTable parse_sealed_table(
  const std::string & text, const std::string & name, const SealedKind & kind,
  const std::vector<std::string> & names);

}  // namespace fivebar_control
