#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What somebody does who has installed the package: run in a fresh system by scripts/check package, as an
# ordinary user, in an empty folder.
set -eux
config=/usr/share/fivebar_control/config

fivebar --version
fivebar plan $config/curves/b.yaml --out b.plan.csv
fivebar run b.plan.csv --plant $config/plants/mismatched.yaml --fast --mode pd --log pd.csv
fivebar run b.plan.csv --plant $config/plants/mismatched.yaml --fast --mode feedforward+pd --log both.csv
fivebar compare b.plan.csv --plant $config/plants/mismatched.yaml --json compare.json
fivebar report b.plan.csv pd.csv both.csv --out report.html
fivebar animate b.plan.csv both.csv --out motion.png
for file in b.plan.csv pd.csv both.csv compare.json report.html motion.png; do
  test -s $file
done
test -s /usr/share/fivebar_control/fivebar.cdx.json

for page in fivebar fivebar-plan fivebar-run; do
  [ "$(man --where $page)" = /usr/share/man/man1/$page.1.gz ]
  man --warnings --locale=C.UTF-8 $page >page.txt 2>warnings.txt
  grep -q NAME page.txt
  [ ! -s warnings.txt ] || { cat warnings.txt; exit 1; }
done

# Completion is typed at a terminal, as by a person. Without it there would be no command 'pl'.
echo '. /usr/share/bash-completion/bash_completion' >rc
printf 'fivebar pl\t --help >typed.txt 2>&1\nexit\n' | script -qec 'bash --rcfile rc -i' /dev/null
fivebar plan --help >expected.txt
cmp typed.txt expected.txt
