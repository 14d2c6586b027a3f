// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/report/scene.hpp"

namespace fivebar_control
{

struct MovieOptions
{
  int frames_per_second = 25;
  double speed = 1.0;  ///< 0.5: half as fast as the robot
  double pause = 1.0;  ///< s that the last picture stays
  int width = 960;     ///< pixels
};

/// Each throws InputError if the file cannot be written or a program or library is missing; files
/// appear whole or not at all.

/// SVG that moves by itself (SMIL) in every browser, without scripts.
void write_animated_svg(
  const Scene & scene, const MovieOptions & options, const std::string & path);
/// The same for any picture, one drawing for each frame.
void write_framed_svg(
  const Picture & picture, const MovieOptions & options, const std::string & path);
/// The last moment, as PNG.
void write_still(const Picture & picture, const MovieOptions & options, const std::string & path);
/// GIF or MP4 by the name's ending, encoded by the program ffmpeg.
void write_movie(const Picture & picture, const MovieOptions & options, const std::string & path);

}  // namespace fivebar_control
