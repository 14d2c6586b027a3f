// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/sealed_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

/// Takes the '#' lines off the front of `rest`, without their '# '.
std::string take_comments(std::string_view & rest)
{
  std::string yaml;
  while (!rest.empty() && rest.front() == '#')
  {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(1, end - 1);
    yaml.append(line.starts_with(' ') ? line.substr(1) : line).push_back('\n');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return yaml;
}

/// The parts of a table; views into its text.
struct Parts
{
  std::string header, ending;
  std::string_view above;  ///< header, names and rows
  std::string_view rows;
  std::size_t row_count = 0;
  bool has_names = false;
};

Parts split(std::string_view text)
{
  Parts parts;
  std::string_view rest = text;
  parts.header = take_comments(rest);
  const std::size_t names = rest.find('\n');
  parts.has_names = !rest.empty();
  rest.remove_prefix(names == std::string_view::npos ? rest.size() : names + 1);
  const std::size_t comments = rest.starts_with('#') ? 0 : rest.find("\n#");
  parts.rows =
    rest.substr(0, comments == 0 || comments == std::string_view::npos ? comments : comments + 1);
  rest.remove_prefix(parts.rows.size());
  parts.above = text.substr(0, text.size() - rest.size());
  parts.row_count =
    static_cast<std::size_t>(std::count(parts.rows.begin(), parts.rows.end(), '\n'));
  parts.ending = take_comments(rest);
  return parts;
}

int require_kind(const YamlMap & header, const std::string & name, const SealedKind & kind)
{
  // Plans of schema 1 did not name their content.
  const std::string content = header.text_or("content", header.has("solver") ? "plan" : "");
  if (content != kind.content)
  {
    throw InputError(
      {name}, fmt::format(
                "this is {}, not a {}: expected a file that '{}' wrote",
                content.empty() ? "another file" : "a " + content, kind.content, kind.writer));
  }
  const int schema = header.integer("schema", 1, 1000000);
  if (schema > kind.schema)
  {
    header.fail(
      "schema", fmt::format(
                  "the {} has schema {}, this program reads up to {}: update fivebar_control",
                  kind.content, schema, kind.schema));
  }
  return schema;
}

void require_whole(
  const Parts & parts, const YamlMap & seal, int schema, const std::string & name,
  const SealedKind & kind)
{
  const int rows = seal.integer("rows", 0, 2000000000);
  const auto wanted = static_cast<std::size_t>(rows);
  if (parts.row_count < wanted)
  {
    throw InputError(
      {name},
      fmt::format(
        "the {} is cut: {} of {} data rows are there", kind.content, parts.row_count, rows));
  }
  Checksum checksum;
  checksum.add(schema == 1 ? parts.rows : parts.above);
  if (checksum.hex() != seal.text("checksum"))
  {
    throw InputError(
      {name}, fmt::format(
                "the {} was changed after it was written: its checksum is {}, it says {}",
                kind.content, checksum.hex(), seal.text("checksum")));
  }
}

}  // namespace

std::string sealed_content(std::string_view text)
{
  if (!text.starts_with("# schema:"))
  {
    return {};
  }
  constexpr std::string_view key = "\n# content: ";
  const std::size_t found = text.substr(0, 400).find(key);
  if (found == std::string_view::npos)
  {
    return "plan";  // of schema 1
  }
  const std::string_view content = text.substr(found + key.size());
  return std::string(content.substr(0, content.find_first_of("\r\n")));
}

SealedWriter::SealedWriter(
  Output output, const SealedKind & kind, std::string_view header,
  const std::vector<std::string> & names)
: output_(std::move(output))
{
  put(fmt::format("# schema: {}\n# content: {}\n", kind.schema, kind.content));
  put(prefixed_lines(header, "# "));
  put(fmt::format("{}\n", fmt::join(names, ",")));
}

void SealedWriter::put(std::string_view text)
{
  checksum_.add(text);
  output_(text);
}

void SealedWriter::write_rows(std::string_view rows)
{
  rows_ += std::count(rows.begin(), rows.end(), '\n');
  put(rows);
}

void SealedWriter::close(std::string_view ending)
{
  const std::string seal =
    fmt::format("rows: {}\nchecksum: {}\n", rows_, yaml_quoted(checksum_.hex()));
  output_(prefixed_lines(ending, "# ") + prefixed_lines(seal, "# "));
}

SealedTable parse_sealed_table(
  const std::string & text, const std::string & name, const SealedKind & kind,
  const std::vector<std::string> & names)
{
  const Parts parts = split(text);
  if (parts.header.empty())
  {
    throw InputError(
      {name, 1},
      fmt::format(
        "not a {}: expected a header of '# ' lines, as '{}' writes it", kind.content, kind.writer));
  }
  YamlMap header = YamlMap::parse(parts.header, name);
  const int schema = require_kind(header, name, kind);
  if (!parts.has_names)
  {
    throw InputError(
      {name}, fmt::format("the {} is cut: it ends before the data rows", kind.content));
  }
  if (parts.ending.find("checksum:") == std::string::npos && !header.has("checksum"))
  {
    throw InputError(
      {name}, fmt::format(
                "the {0} is cut: it ends after {1} rows, without the lines that close a {0}",
                kind.content, parts.row_count));
  }
  YamlMap ending = YamlMap::parse(header.has("checksum") ? parts.header : parts.ending, name);
  require_whole(parts, ending, schema, name, kind);
  CsvTable rows = parse_csv(text, name, names);
  if (schema == 1 && rows.columns != names)
  {
    // Here the names are not under the checksum: swapped motors would pass unseen.
    throw InputError(
      {name},
      fmt::format(
        "the column names were changed after it was written: expected {}", fmt::join(names, ",")));
  }
  return {schema, std::move(header), std::move(ending), std::move(rows)};
}

}  // namespace fivebar_control
