// SPDX-License-Identifier: Apache-2.0
// Stamp and progress of a commissioning: refused with an InputError, or taken and written back.
// Each input is tried as it is and with the right seal, since no fuzzer finds that one.
#include <nlohmann/json.hpp>

#include "fivebar_control/commission/stamp.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/errors.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

void read_back(const std::string & text)
{
  try
  {
    const commission::Record record = commission::parse_record(text, "stamp.json");
    const std::string written = commission::to_text(record);
    require(
      commission::to_text(commission::parse_record(written, "stamp.json")) == written,
      "a record that was read is written and read again as the same");
  }
  catch (const InputError &)
  {
  }
}

}  // namespace

void commission_record(Bytes bytes)
{
  const std::string text = text_of(bytes);
  read_back(text);
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_object())
  {
    document.erase("seal");
    Checksum checksum;
    checksum.add(document.dump());
    document["seal"] = checksum.hex();
    read_back(document.dump());
  }
}

}  // namespace fivebar_control::fuzz
