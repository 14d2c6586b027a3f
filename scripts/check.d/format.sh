# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_format() { echo "clang-format: nothing to change"; }
tools_format() { echo "clang-format"; }

check_format() {
  local files
  mapfile -t files < <(git ls-files '*.cpp' '*.hpp' '*.c' '*.h')
  # Other versions format a few lines differently.
  local version
  version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
  if [ "$version" != 14 ]; then
    figure "not judged"
    left_out "everything: the code is formatted by clang-format 14, here is $version"
    return
  fi
  figure "${#files[@]} files"
  clang-format --dry-run --Werror "${files[@]}"
}
