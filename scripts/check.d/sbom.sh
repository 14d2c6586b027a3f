# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_sbom() { echo "the list of packages names every library that fivebar loads"; }
tools_sbom() { echo ""; }

check_sbom() {
  build release
  ctest --preset release -R Sbom --no-tests=error
  figure "$(grep -c '"purl"' build/release/stage/share/fivebar_control/fivebar.cdx.json) packages"
}
