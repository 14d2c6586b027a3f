# SPDX-License-Identifier: Apache-2.0
# Properties that must hold for many random cases (property.hpp says how to replay one).
fivebar_test(test_property LABEL property
  SOURCES property/test_kinematics.cpp property/test_output.cpp property/test_plan_file.cpp
    property/test_player.cpp property/test_riccati.cpp property/test_spatial_trees.cpp
  LINK fivebar_controller fivebar_planner_methods fmt::fmt)
target_include_directories(test_property PRIVATE ${PROJECT_SOURCE_DIR}/planner ${PROJECT_SOURCE_DIR}/planner/methods)  # private headers
