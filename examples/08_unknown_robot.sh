#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From an unknown robot to the result: excite, identify, plan, learn, and the two pictures of docs/learning.md.
# Usage: examples/08_unknown_robot.sh [FOLDER]   ("fivebar" on the PATH or in build/release/cli; gnuplot for the pictures)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$PATH:$root/build/release/cli
folder=${1:-out/unknown}
mkdir -p "$folder"
cd "$folder"

# The truth, which nobody knows: the robot of the file, 20 % heavier, with dry friction.
cp "$root/config/robot.yaml" file.yaml
sed 's|^name: .*|&\nrobot: file.yaml|' "$root/config/plants/mismatched.yaml" > true.yaml
play() { fivebar run "$1" --robot "$2" --plant true.yaml --fast --mode "$3" --log "$4"; }

fivebar plan "$root/config/curves/b.yaml" --robot file.yaml --quiet --out b.csv
play b.csv file.yaml pd pd.log.csv
play b.csv file.yaml feedforward+pd wrong.log.csv
fivebar excite --robot file.yaml --out excite.csv --json excite.json
play excite.csv file.yaml feedforward+pd excite.log.csv
fivebar identify excite.log.csv --robot file.yaml --out found.yaml --report found.html
fivebar plan "$root/config/curves/b.yaml" --robot found.yaml --quiet --out b2.csv
play b2.csv found.yaml feedforward+pd found.log.csv
fivebar learn b2.csv found.log.csv --robot found.yaml --out b3.csv
play b3.csv found.yaml feedforward+pd learned.log.csv
fivebar compare b.csv --robot file.yaml --plant true.yaml --also b2.csv@found.yaml --also b3.csv@found.yaml --report b.html

if command -v gnuplot >/dev/null; then
  gnuplot "$root/scripts/plot_learning.gp"
  echo "Pictures: $PWD/excitation.png $PWD/learning.png"
fi
