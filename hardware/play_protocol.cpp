// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/play_protocol.hpp"

#include "serial_wire.hpp"

namespace fivebar_control::serial
{
namespace
{

constexpr std::size_t cycle_bytes = 14;
constexpr auto last_state = static_cast<std::uint8_t>(PlayState::waiting);
constexpr auto last_reason = static_cast<std::uint8_t>(PlayReason::not_finite);

bool get_state(Reader & reader, PlayState & state)
{
  std::uint8_t number = 0;
  reader.get(number);
  state = static_cast<PlayState>(number);
  return number <= last_state;
}

bool get_cycle(Reader & reader, Cycle & cycle)
{
  for (std::int32_t & value : cycle.counts)
  {
    reader.get_signed<std::int32_t, std::uint32_t>(value);
  }
  for (std::int16_t & value : cycle.millivolts)
  {
    reader.get_signed<std::int16_t, std::uint16_t>(value);
  }
  const bool known = get_state(reader, cycle.state);
  std::uint8_t flags = 0;
  reader.get(flags);
  cycle.limited = (flags & 1U) != 0;
  cycle.reason = static_cast<PlayReason>(flags >> 1);
  return known && (flags >> 1) <= last_reason;
}

}  // namespace

const char * to_string(PlayReason reason)
{
  switch (reason)
  {
    case PlayReason::none:
      return "none";
    case PlayReason::bad_session:
      return "another session, or a start in the past";
    case PlayReason::bad_settings:
      return "settings that did not arrive, or make no sense";
    case PlayReason::no_plan:
      return "not enough of the plan";
    case PlayReason::cause_present:
      return "the cause of a fault is present";
    case PlayReason::not_at_start:
      return "not at the plan's start";
    case PlayReason::asked_to_stop:
      return "asked to stop";
    case PlayReason::stream_dry:
      return "the plan did not come in time";
    case PlayReason::host_silent:
      return "the host fell silent";
    case PlayReason::disarmed:
      return "disarmed";
    case PlayReason::device_fault:
      return "a fault of the device";
    case PlayReason::following:
      return "following error";
    case PlayReason::range:
      return "joint range";
    case PlayReason::speed:
      return "joint speed";
    case PlayReason::jump:
      return "encoder jump";
    case PlayReason::align_timeout:
      return "did not settle at the plan's start";
    case PlayReason::not_finite:
      return "the law gave no number";
  }
  return "unknown";
}

std::uint32_t crc_of(const Settings & settings)
{
  std::array<std::uint8_t, 4 * settings_words> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
  {
    bytes[i] = static_cast<std::uint8_t>(settings[i / 4] >> (8 * (i % 4)));
  }
  return crc32(bytes);
}

Frame ask(std::uint16_t sequence) { return Writer(PlayMessage::ask, sequence).frame(); }

Frame set(std::uint16_t sequence, std::uint8_t first, std::span<const std::uint32_t> words)
{
  Writer writer(PlayMessage::set, sequence);
  writer.put(first);
  for (const std::uint32_t word : words.first(std::min(words.size(), settings_per_frame)))
  {
    writer.put(word);
  }
  return writer.frame();
}

Frame plan(std::uint16_t sequence, std::uint32_t first, std::span<const Node> nodes)
{
  Writer writer(PlayMessage::plan, sequence);
  writer.put(first);
  for (const Node & node : nodes.first(std::min(nodes.size(), nodes_per_frame)))
  {
    writer.put(node.dt_ns).put_signed(node.phi[0]).put_signed(node.phi[1]);
    for (const auto * pair : {&node.volts, &node.hold, &node.speed})
    {
      writer.put_signed((*pair)[0]).put_signed((*pair)[1]);
    }
  }
  return writer.frame();
}

Frame start(std::uint16_t sequence, const Start & start)
{
  constexpr std::uint64_t second = 1'000'000'000;
  return Writer(PlayMessage::start, sequence)
    .put(start.session)
    .put(start.time_us)
    .put(start.settings_crc)
    .put(start.path_nodes)
    .put(start.nodes)
    .put(static_cast<std::uint32_t>(start.length_ns / second))
    .put(static_cast<std::uint32_t>(start.length_ns % second))
    .put(static_cast<std::uint8_t>(start.align ? 1 : 0))
    .frame();
}

Frame stop(std::uint16_t sequence) { return Writer(PlayMessage::stop, sequence).frame(); }

Frame pull(std::uint16_t sequence) { return Writer(PlayMessage::pull, sequence).frame(); }

Frame repeat(std::uint16_t sequence, std::uint32_t first)
{
  return Writer(PlayMessage::repeat, sequence).put(first).frame();
}

std::optional<Abilities> decode_abilities(std::span<const std::uint8_t> payload)
{
  if (!is(payload, PlayMessage::abilities, 12))
  {
    return std::nullopt;
  }
  Abilities abilities;
  Reader reader(payload);
  reader.get(abilities.sequence);
  reader.get(abilities.nodes);
  reader.get(abilities.period_us);
  reader.get(abilities.settings);
  reader.get(abilities.kept);
  return abilities;
}

std::optional<Progress> decode_progress(std::span<const std::uint8_t> payload)
{
  if (!is(payload, PlayMessage::progress, 46))
  {
    return std::nullopt;
  }
  Progress progress;
  Reader reader(payload);
  reader.get(progress.sequence);
  reader.get(progress.time_us);
  const bool known = get_state(reader, progress.state);
  std::uint8_t reason = 0, joint = 0;
  reader.get(reason);
  reader.get(joint);
  progress.reason = static_cast<PlayReason>(reason);
  progress.joint = joint == 0 || joint == 1 ? joint : -1;
  reader.get(progress.status);
  reader.get(progress.wanted);
  reader.get(progress.room);
  reader.get(progress.cycles);
  reader.get(progress.first_us);
  reader.get(progress.path_us);
  reader.get(progress.settings_crc);
  reader.get_float(progress.value);
  reader.get_float(progress.limit);
  reader.get(progress.bad_frames);
  reader.get(progress.lost_frames);
  return known && reason <= last_reason ? std::optional(progress) : std::nullopt;
}

std::optional<Telemetry> decode_telemetry(std::span<const std::uint8_t> payload)
{
  constexpr std::size_t header = 7;
  if (payload.size() <= header || (payload.size() - header) % cycle_bytes != 0)
  {
    return std::nullopt;
  }
  Telemetry telemetry;
  telemetry.count = (payload.size() - header) / cycle_bytes;
  if (telemetry.count > cycles_per_frame || !is(payload, PlayMessage::telemetry, payload.size()))
  {
    return std::nullopt;
  }
  Reader reader(payload);
  std::uint16_t sequence = 0;
  reader.get(sequence);
  reader.get(telemetry.first);
  for (std::size_t i = 0; i < telemetry.count; ++i)
  {
    if (!get_cycle(reader, telemetry.cycles[i]))
    {
      return std::nullopt;
    }
  }
  return telemetry;
}

}  // namespace fivebar_control::serial
