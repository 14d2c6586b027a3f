# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_docs() { echo "links and anchors of the documents; the licence in every source; spelling of everything (codespell)"; }
tools_docs() { echo "codespell"; }

check_docs() {
  python3 scripts/check_links.py
  python3 scripts/check_licence.py
  git ls-files | grep -v -e '^LICENSE$' -e '^test/fuzz/corpus/' -e '^test/fuzz/regressions/' \
    -e '\.\(svg\|gif\|png\|mp4\)$' | xargs codespell --config .codespellrc
  figure "$(python3 scripts/check_links.py); $(git ls-files '*.md' | wc -l) documents"
}
