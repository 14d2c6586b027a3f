// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "cairo_canvas.hpp"
#include "encoder_process.hpp"
#include "fivebar_control/report/picture_file.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// A name beside the target that is removed unless it has become the target.
class PartFile
{
public:
  explicit PartFile(const std::string & target) : target_(target), part_(target + ".part") {}
  ~PartFile()
  {
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
  }
  PartFile(const PartFile &) = delete;
  PartFile & operator=(const PartFile &) = delete;

  const std::string & name() const { return part_; }
  void commit() const
  {
    std::error_code error;
    std::filesystem::rename(part_, target_, error);
    if (error)
    {
      throw InputError(fmt::format("{}: cannot be written: {}", target_, error.message()));
    }
  }

private:
  std::string target_, part_;
};

/// Even numbers of pixels, as video encoders want them.
struct Size
{
  int width, height;
  explicit Size(const MovieOptions & options)
  : width(options.width / 2 * 2),
    height(
      static_cast<int>(std::lround(options.width * Picture::height / Picture::width / 2.0)) * 2)
  {
  }
  CairoCanvas canvas() const { return {width, height, width / Picture::width}; }
};

std::vector<std::string> encoder_command(
  const Size & size, const MovieOptions & options, bool gif, const std::string & path)
{
  std::vector<std::string> command{
    "ffmpeg",
    "-loglevel",
    "error",
    "-nostdin",
    "-y",
    "-f",
    "rawvideo",
    "-pixel_format",
    "bgr0",
    "-video_size",
    fmt::format("{}x{}", size.width, size.height),
    "-framerate",
    std::to_string(options.frames_per_second),
    "-i",
    "pipe:0"};
  const std::vector<std::string> gif_output{
    // One palette for all frames and no dithering: flat colours stay flat, and the file small.
    "-filter_complex",
    ("[0:v]split[a][b];[a]palettegen=max_colors=64:stats_mode=full[p];"
     "[b][p]paletteuse=dither=none:diff_mode=rectangle"),
    "-loop",
    "0",
    "-f",
    "gif"};
  const std::vector<std::string> mp4_output{"-c:v", "libx264",   "-pix_fmt",   "yuv420p", "-crf",
                                            "20",   "-movflags", "+faststart", "-f",      "mp4"};
  const std::vector<std::string> & output = gif ? gif_output : mp4_output;
  command.insert(command.end(), output.begin(), output.end());
  command.push_back("file:" + path);
  return command;
}

}  // namespace

void write_still(const Picture & picture, const MovieOptions & options, const std::string & path)
{
  CairoCanvas canvas = Size(options).canvas();
  picture.draw_background(canvas);
  picture.draw_moment(canvas, picture.duration());
  const PartFile part(path);
  if (!canvas.save_png(part.name()))
  {
    throw InputError(fmt::format("{}: cannot be written", path));
  }
  part.commit();
}

void write_movie(const Picture & picture, const MovieOptions & options, const std::string & path)
{
  const Size size(options);
  const bool gif = std::filesystem::path(path).extension() == ".gif";
  const PartFile part(path);
  EncoderProcess encoder(encoder_command(size, options, gif, part.name()));
  CairoCanvas background = size.canvas();
  picture.draw_background(background);
  CairoCanvas frame = size.canvas();
  const double rate = options.frames_per_second;
  const double duration = picture.duration();
  const auto moving = static_cast<int>(std::ceil(duration / options.speed * rate));
  const auto still = static_cast<int>(std::lround(options.pause * rate));
  for (int i = 0; i <= moving + still; ++i)
  {
    frame.copy(background);
    picture.draw_moment(frame, std::min(i / rate * options.speed, duration));
    if (!encoder.write(frame.pixels(), frame.bytes()))
    {
      break;
    }
  }
  if (!encoder.finish())
  {
    throw InputError(fmt::format("{}: ffmpeg could not write it (see its message above)", path));
  }
  part.commit();
}

}  // namespace fivebar_control
