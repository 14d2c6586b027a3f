# shellcheck shell=bash
about_sbom() { echo "the list of packages names every library that fivebar loads"; }
tools_sbom() { echo ""; }

check_sbom() {
  build release
  cmake --build --preset release --target sbom
  ctest --preset release -R Sbom --no-tests=error
  figure "$(grep -c '"purl"' build/release/fivebar.cdx.json) packages"
}
