#pragma once

#include "fivebar_control/support/time_histogram.hpp"
