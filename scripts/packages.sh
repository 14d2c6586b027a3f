# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Installs what scripts/packages.txt lists. Sourced by lib.sh.
#
# A package in the capital levels is needed: where it is missing and cannot be installed, the script ends and says
# what to do. The others are tried once, if the archive knows them, and never stop anything. Nobody is asked for a
# password when there is nothing to install.

is_installed() { dpkg-query -W -f='${Status}\n' "$1" 2>/dev/null | grep -q 'install ok installed'; }
# apt speaks the user's language, unless told otherwise.
is_in_archive() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

# choose NAME|NAME...: the one that is installed, else the first that the archive knows, else the first.
choose() {
  local names name
  IFS='|' read -r -a names <<<"$1"
  for name in "${names[@]}"; do
    if is_installed "$name"; then echo "$name"; return; fi
  done
  for name in "${names[@]}"; do
    if is_in_archive "$name"; then echo "$name"; return; fi
  done
  echo "${names[0]}"
}

# missing_packages LEVEL...: the packages of these levels that are not installed.
missing_packages() {
  local levels package name wanted
  while read -r levels package _; do
    for wanted in "$@"; do
      case ",$levels," in
        *",$wanted,"*)
          name=$(choose "$package")
          is_installed "$name" || echo "$name"
          break
          ;;
      esac
    done
  done < <(grep -v '^#' scripts/packages.txt)
}

purpose_of() {
  awk -v name="$1" '!/^#/ && index("|" $2 "|", "|" name "|") { $1 = $2 = ""; sub(/^ */, ""); print; exit }' \
    scripts/packages.txt
}

# Is there a way to become root? A password may be asked for only where somebody can type it.
can_install() {
  [ "$(id -u)" -eq 0 ] && return 0
  command -v sudo >/dev/null || return 1
  sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }
}

# as_root COMMAND...
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# apt ARGUMENT...: apt-get as root, told to ask nothing.
apt() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -o DPkg::Lock::Timeout=300 -q -y "$@"
}

# Turns apt's status lines into progress: one line that is rewritten on a terminal, else a line every 20 %.
# The rest of what apt says goes to the file named.
apt_progress() {
  local log=$1 line kind percent step last=-1
  while IFS= read -r line; do
    case $line in
      dlstatus:* | pmstatus:*)
        IFS=: read -r kind _ percent _ <<<"$line"
        [ "$kind" = dlstatus ] && kind=downloading || kind=installing
        percent=${percent%%.*}
        if [ -t 1 ]; then
          printf '\r   %s %3d %%  ' "$kind" "$percent"
        else
          step="$kind $((percent / 20 * 20)) %"
          [ "$step" = "$last" ] || echo "   $step"
          last=$step
        fi
        ;;
      *) printf '%s\n' "$line" >>"$log" ;;
    esac
  done
  [ ! -t 1 ] || printf '\r%30s\r' ''
}

# apt_install PACKAGE...: with progress; the log is shown if it fails.
apt_install() {
  local log=build/apt.log code=0
  mkdir -p build
  : >"$log"
  { apt -o APT::Status-Fd=1 install --no-install-recommends "$@" 2>&1 || echo "apt-get failed" >>"$log"; } |
    apt_progress "$log"
  ! grep -q '^apt-get failed$' "$log" || code=1
  [ $code -eq 0 ] || tail -n 20 "$log" >&2
  return $code
}

# What apt would bring with these: "131 packages, 412 MB to download, 1630 MB on the disk".
apt_size() {
  local all
  mapfile -t all < <(LC_ALL=C apt-get -s -o Debug::NoLocking=1 install --no-install-recommends "$@" 2>/dev/null |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p')
  [ ${#all[@]} -gt 0 ] || return 0
  LC_ALL=C apt-cache show --no-all-versions "${all[@]}" 2>/dev/null | LC_ALL=C awk -v count=${#all[@]} '
    /^Size: / { download += $2 }
    /^Installed-Size: / { disk += $2 }
    END { printf "%d packages, %.0f MB to download, %.0f MB on the disk", count, download / 1e6, disk / 1e3 }'
}

# Optional packages that could not be installed here: not tried again. Delete the file to try again.
tried_in_vain=build/packages_tried_in_vain

# Splits the missing packages of the levels into `needed` and, as far as the archive knows them, `wanted`.
look_for_missing() {
  local name
  mapfile -t needed < <(missing_packages "${@^^}")
  wanted=()
  for name in $(missing_packages "${@,,}"); do
    if is_in_archive "$name" && ! grep -qsxF "$name" "$tried_in_vain"; then wanted+=("$name"); fi
  done
}

# install_packages LEVEL...: what is missing of program, test; quick and silent towards root when nothing is.
install_packages() {
  local needed wanted name
  if ! command -v apt-get >/dev/null; then
    say "No apt-get here: the packages of scripts/packages.txt are expected under their names of this system."
    return
  fi
  look_for_missing "$@"
  # Without the archive's lists (a fresh machine) nothing is known of the optional ones.
  local lists
  lists=$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -print -quit 2>/dev/null)
  if [ ${#needed[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ] && [ -n "$lists" ]; then
    say "All packages are installed that this system has."
    return
  fi
  if ! can_install; then
    if [ ${#needed[@]} -gt 0 ]; then
      say "These packages are missing, and installing them needs root or sudo:" >&2
      echo "   apt-get install ${needed[*]}" >&2
      exit 1
    fi
    say "Not installed, for want of sudo: ${wanted[*]:-optional packages}. Going on without."
    return
  fi
  say "Asking the archive which packages there are"
  apt update >/dev/null || say "The archive could not be reached; going on with what is known of it."
  look_for_missing "$@"
  local all=("${needed[@]}" "${wanted[@]}")
  [ ${#all[@]} -gt 0 ] || return 0
  say "Installing $(apt_size "${all[@]}"): ${all[*]}"
  ! apt_install "${all[@]}" || return 0
  say "That failed as a whole; once more, first what is needed, then one by one what is only useful."
  if [ ${#needed[@]} -gt 0 ] && ! apt_install "${needed[@]}"; then
    say "What is needed could not be installed; build/apt.log has all that apt-get said." >&2
    exit 1
  fi
  for name in "${wanted[@]}"; do
    if ! apt_install "$name"; then
      say "$name could not be installed; going on without: $(purpose_of "$name")."
      echo "$name" >>"$tried_in_vain"
    fi
  done
}
