# SPDX-License-Identifier: Apache-2.0
# Messages, services and actions, as the target fivebar_interfaces for our own code.
rosidl_generate_interfaces(${PROJECT_NAME}
  msg/ControllerState.msg
  srv/LoadPlan.srv
  action/ExecutePlan.action
  action/Identify.action
  action/Learn.action
  action/PlanCurve.action
  DEPENDENCIES std_msgs)
ament_export_dependencies(rosidl_default_runtime)

rosidl_get_typesupport_target(typesupport ${PROJECT_NAME} rosidl_typesupport_cpp)
add_library(fivebar_interfaces INTERFACE)
target_link_libraries(fivebar_interfaces INTERFACE ${typesupport} ${std_msgs_TARGETS})
fivebar_generated_headers(${PROJECT_NAME}__rosidl_generator_cpp)
