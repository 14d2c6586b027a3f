# shellcheck shell=bash
about_format() { echo "clang-format: nothing to change"; }
tools_format() { echo "clang-format"; }

check_format() {
  local files
  mapfile -t files < <(git ls-files '*.cpp' '*.hpp' '*.c' '*.h')
  figure "${#files[@]} files"
  clang-format --dry-run --Werror "${files[@]}"
}
