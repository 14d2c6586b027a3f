# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_fuzz() { echo "each fuzzer for a fixed time, from its seeds (test/fuzz)"; }
tools_fuzz() { echo "clang"; }

# Folders with seeds of a fuzzer, and with what once broke it.
fuzz_seeds() {
  case $1 in
    firmware | host | differential) echo test/fuzz/corpus/serial ;;
    board_play | program_stream | play_codec) echo test/fuzz/corpus/play test/fuzz/corpus/serial ;;
    robot_file) echo config/robots ;;
    mechanism_file) echo config/mechanisms test/fuzz/corpus/mechanism_file ;;
    unfinished_log) echo test/fuzz/corpus/run_log ;;
    curve_file) echo config/curves test/fuzz/corpus/curve_file ;;
    *) echo "test/fuzz/corpus/$1" ;;
  esac
  [ ! -d "test/fuzz/regressions/$1" ] || echo "test/fuzz/regressions/$1"
}

fuzz_dictionary() {
  case $1 in
    *_file | *_log) echo -dict=test/fuzz/yaml.dict ;;
    web_request) echo -dict=test/fuzz/http.dict ;;
  esac
}

# fuzz NAME OPTION...: new inputs are kept in build/check/corpus, crashes in build/check/crashes.
fuzz() {
  local name=$1
  shift
  mkdir -p "$records/corpus/$name" "$records/crashes"
  # shellcheck disable=SC2046
  "build/fuzz/test/fuzz/fuzz_$name" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$records/crashes/$name-" $(fuzz_dictionary "$name") "$@" \
    "$records/corpus/$name" $(fuzz_seeds "$name")
}

check_fuzz() {
  local seconds=${FIVEBAR_FUZZ_SECONDS:-60} program name names=() failures=""
  build fuzz
  local logs=$records/fuzz.logs
  mkdir -p "$logs"
  for program in build/fuzz/test/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    names+=("$name")
    # One per core.
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
      wait -n || true
    done
    { fuzz "$name" -max_total_time="$seconds" >"$logs/$name" 2>&1 || echo "FAILED" >>"$logs/$name"; } &
  done
  wait
  for name in "${names[@]}"; do
    echo "== $name"
    tail -n 30 "$logs/$name"
    [ "$(tail -n 1 "$logs/$name")" != FAILED ] || failures+=" $name"
  done
  figure "${#names[@]} fuzzers, ${seconds} s each, $(cat "$logs"/* |
    awk '/stat::number_of_executed_units/ { n += $2 } END { printf "%.1f million inputs", n / 1e6 }')"
  echo "failed:${failures:- none}"
  [ ${#names[@]} -gt 0 ] && [ -z "$failures" ]
}
