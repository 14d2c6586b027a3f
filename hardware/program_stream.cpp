// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/program_stream.hpp"

#include <algorithm>

namespace fivebar_control
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t repeat_every_ns = 15 * millisecond;
constexpr std::uint32_t start_ahead_us = 30'000;
constexpr std::uint32_t frames_at_once = 16;  // less than 1 kB: any line takes them in 10 ms
constexpr int most_repeats = 4;

}  // namespace

void ProgramStream::begin(
  const BoardProgram & program, const serial::Abilities & abilities, std::uint32_t session,
  const Timing & timing)
{
  *this = ProgramStream();
  program_ = &program;
  abilities_ = abilities;
  session_ = session;
  timing_ = timing;
  settings_crc_ = serial::crc_of(program.settings);
  phase_ = Phase::configuring;
  statistics_.least_buffered = 1e-9 * static_cast<double>(program.length_ns);
}

bool ProgramStream::may_send_nodes() const
{
  return sent_ < std::min<std::size_t>(program_->nodes.size(), may_send_);
}

void ProgramStream::send_settings(FrameSender & sender) const
{
  const std::span<const std::uint32_t> words(program_->settings);
  for (std::size_t first = 0; first < words.size(); first += serial::settings_per_frame)
  {
    const std::size_t count = std::min(serial::settings_per_frame, words.size() - first);
    sender.send(serial::set(
      sender.next_sequence(), static_cast<std::uint8_t>(first), words.subspan(first, count)));
  }
}

void ProgramStream::send_nodes(FrameSender & sender)
{
  const std::span<const serial::Node> nodes(program_->nodes);
  for (std::uint32_t frame = 0; frame < frames_at_once && may_send_nodes(); ++frame)
  {
    const std::size_t end = std::min<std::size_t>(nodes.size(), may_send_);
    const std::size_t count = std::min(serial::nodes_per_frame, end - sent_);
    if (!sender.send(serial::plan(sender.next_sequence(), sent_, nodes.subspan(sent_, count))))
    {
      return;  // the line is full
    }
    sent_ += static_cast<std::uint32_t>(count);
  }
}

void ProgramStream::send_start(
  std::int64_t now_ns, std::uint16_t sequence, FrameSender & sender) const
{
  serial::Start start;
  start.session = session_;
  start.time_us = clock_.device_time_us(now_ns) + start_ahead_us;
  // A board whose time only goes on when it is asked is behind what its clock promised.
  // One that is asked faster than its time goes on is ahead of it.
  const auto ahead = static_cast<std::int32_t>(start.time_us - progress_.time_us);
  if (ahead < static_cast<std::int32_t>(start_ahead_us) || ahead > 500'000)
  {
    start.time_us = progress_.time_us + start_ahead_us;
  }
  start.settings_crc = settings_crc_;
  start.path_nodes = program_->path_nodes;
  start.nodes = static_cast<std::uint32_t>(program_->nodes.size());
  start.length_ns = program_->length_ns;
  start.align = program_->align;
  sender.send(serial::start(sequence, start));
}

/// For what is missing, as long as the board may still have it.
void ProgramStream::ask_again(std::int64_t now_ns, FrameSender & sender)
{
  if (next_ == known_ || here_[next_ % window])
  {
    return;
  }
  const bool open = known_ - next_ < abilities_.kept && repeats_of_one_ < most_repeats;
  if (open && now_ns >= repeat_ns_)
  {
    repeat_ns_ = now_ns + std::min(repeat_every_ns, timing_.question_every_ns);
    ++repeats_of_one_;
    ++statistics_.repeats;
    sender.send(serial::repeat(sender.next_sequence(), next_));
  }
}

void ProgramStream::step(std::int64_t now_ns, FrameSender & sender)
{
  if (program_ == nullptr || phase_ == Phase::idle || is_over())
  {
    return;
  }
  if (asked_ && now_ns - asked_ns_ >= timing_.patience_ns)
  {
    asked_ = false;
    ++unanswered_;
    ++statistics_.unanswered;
    next_step_ns_ = now_ns;
  }
  if (asked_ || now_ns < next_step_ns_)
  {
    return;
  }
  if (phase_ == Phase::configuring)
  {
    send_settings(sender);
  }
  else
  {
    send_nodes(sender);
    ask_again(now_ns, sender);
  }
  question_ = sender.next_sequence();
  asked_ = true;
  asked_ns_ = now_ns;
  sent_before_ = sent_;
  if (phase_ == Phase::starting)
  {
    send_start(now_ns, question_, sender);
  }
  else if (phase_ == Phase::running && stop_asked_)
  {
    sender.send(serial::stop(question_));
  }
  else
  {
    sender.send(serial::pull(question_));
  }
}

/// What the board has is what it says; whatever was sent beyond that is lost.
void ProgramStream::follow(const serial::Progress & progress)
{
  if (progress.wanted != sent_before_)
  {
    statistics_.resent += phase_ == Phase::configuring ? 0 : 1;
    sent_ = std::min(progress.wanted, static_cast<std::uint32_t>(program_->nodes.size()));
  }
  may_send_ = progress.wanted + progress.room;
}

void ProgramStream::note_buffered()
{
  for (; certain_ < std::min(progress_.wanted, program_->path_nodes); ++certain_)
  {
    sent_ns_ += certain_ == 0 ? 0 : program_->nodes[certain_].dt_ns;
  }
  if (progress_.wanted < program_->path_nodes)
  {
    const double ahead =
      1e-9 * static_cast<double>(sent_ns_) - 1e-6 * static_cast<double>(progress_.path_us);
    statistics_.least_buffered = std::min(statistics_.least_buffered, ahead);
  }
}

void ProgramStream::take_answer(std::int64_t now_ns)
{
  asked_ = false;
  unanswered_ = 0;
  next_step_ns_ = asked_ns_ + timing_.question_every_ns;
  follow(progress_);
  switch (phase_)
  {
    case Phase::configuring:
      sent_ = 0;
      if (progress_.settings_crc == settings_crc_ && progress_.wanted == 0)
      {
        phase_ = Phase::filling;
      }
      next_step_ns_ = now_ns;
      break;
    case Phase::filling:
      phase_ = progress_.wanted == program_->nodes.size() || progress_.room == 0 ? Phase::starting
                                                                                 : Phase::filling;
      next_step_ns_ = now_ns;
      break;
    case Phase::starting:
      if (serial::is_on(progress_.state) || progress_.cycles > 0)
      {
        phase_ = Phase::running;
      }
      else if (progress_.reason != serial::PlayReason::none)
      {
        phase_ = Phase::refused;
      }
      break;
    case Phase::running:
      note_buffered();
      next_step_ns_ = may_send_nodes() && sent_ < sent_before_ ? now_ns : next_step_ns_;
      break;
    default:
      break;
  }
  if (phase_ == Phase::running && !serial::is_on(progress_.state))
  {
    // Never begun and switched off: there are no cycles to wait for.
    phase_ = progress_.cycles == 0 ? Phase::refused : Phase::ending;
  }
}

void ProgramStream::hear(const serial::Progress & progress, std::int64_t now_ns)
{
  const bool newer =
    !has_progress_ || static_cast<std::int16_t>(progress.sequence - progress_.sequence) > 0;
  if (program_ == nullptr || !newer || is_over())
  {
    return;
  }
  progress_ = progress;
  has_progress_ = true;
  if (phase_ == Phase::running || phase_ == Phase::ending)
  {
    known_ = std::max(known_, progress.cycles);
  }
  if (asked_ && progress.sequence == question_)
  {
    clock_.add(progress.time_us, asked_ns_, now_ns);
    statistics_.drift = clock_.drift();
    take_answer(now_ns);
  }
  if (phase_ == Phase::ending && next_ == known_)
  {
    phase_ = Phase::over;
  }
}

void ProgramStream::hear(const serial::Telemetry & telemetry)
{
  if (phase_ != Phase::starting && phase_ != Phase::running && phase_ != Phase::ending)
  {
    return;
  }
  for (std::size_t i = 0; i < telemetry.count; ++i)
  {
    const std::uint32_t number = telemetry.first + static_cast<std::uint32_t>(i);
    // Beyond the window are either repetitions, or more losses than can be put in order.
    if (number - next_ >= window || here_[number % window])
    {
      continue;
    }
    here_[number % window] = true;
    cycles_[number % window] = telemetry.cycles[i];
    known_ = std::max(known_, number + 1);
  }
}

bool ProgramStream::next(BoardCycle & cycle)
{
  const std::size_t slot = next_ % window;
  if (next_ == known_)
  {
    return false;
  }
  const bool given_up = known_ - next_ >= abilities_.kept || repeats_of_one_ >= most_repeats;
  if (!here_[slot] && !given_up)
  {
    return false;
  }
  cycle.number = next_;
  cycle.lost = !here_[slot];
  cycle.cycle = here_[slot] ? cycles_[slot] : serial::Cycle{};
  statistics_.cycles += here_[slot] ? 1 : 0;
  statistics_.lost_cycles += here_[slot] ? 0 : 1;
  here_[slot] = false;
  ++next_;
  // What is lost together is given up together.
  repeats_of_one_ = cycle.lost && !here_[next_ % window] ? repeats_of_one_ : 0;
  if (phase_ == Phase::ending && next_ == known_)
  {
    phase_ = Phase::over;
  }
  return true;
}

}  // namespace fivebar_control
