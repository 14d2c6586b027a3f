# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Fresh systems in a folder, for checks that must not find what this machine has. Sourced after lib.sh.
#
#   apt_mirror SUITE                the address from which this machine's apt would get SUITE
#   chroot_folder NAME              where to put it: below $FIVEBAR_CHROOT_DIR, or build/chroot
#   make_chroot SUITE FOLDER        a minimal system of that suite in FOLDER, which must not exist
#   in_chroot FOLDER COMMAND...     runs the command in it as root
#   in_chroot_as USER FOLDER ...    the same as that user of the chroot
#   remove_chroot FOLDER            removes it, also when it is half-made; for a trap
#
# Everything that is mounted is mounted in a namespace of the one command that needs it: when the
# command ends, however it ends, nothing is mounted any more.

# Where Debian keeps debootstrap and chroot, beyond the path of ordinary users.
PATH=$PATH:/usr/sbin:/sbin
chroot_environment=(LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin)

# Fails, and says why, where no chroot can be made.
can_make_chroot() {
  if ! can_install; then
    echo "a chroot needs root: run this as root, or as a user who may use sudo"
    return 1
  fi
  if ! command -v debootstrap >/dev/null; then
    echo "a chroot needs debootstrap: install the package debootstrap"
    return 1
  fi
  if ! as_root unshare --mount --pid --fork true 2>/dev/null; then
    echo "a chroot needs a mount namespace, which this machine (a container?) does not allow"
    return 1
  fi
}

# suite_of_host: bookworm, noble, ...
suite_of_host() {
  # shellcheck disable=SC1091
  (. /etc/os-release && echo "$VERSION_CODENAME")
}

# apt_sources: one line "SITE RELEASE COMPONENT" for each archive of the distribution itself, whatever the
# format of the files that name them. apt lists only what it has downloaded at least once.
apt_sources() {
  local distribution
  # shellcheck disable=SC1091
  distribution=$(. /etc/os-release && echo "$ID")
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(ORIGIN) $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v distribution="$distribution" 'tolower($1) == distribution { print $2, $3, $4 }' | sort -u |
    while read -r site rest; do
      case $site in
        # A list of mirrors; the first is as good as the others.
        mirror+file:*) site=$(awk '/^[a-z+]*:\// { print $1; exit }' "${site#mirror+file:}") ;;
      esac
      echo "${site%/} $rest"
    done
}

# apt_components: those that this machine uses of its own suite, separated by commas.
apt_components() {
  apt_sources | awk -v suite="$(suite_of_host)" '$2 == suite { print $3 }' | paste -sd,
}

apt_mirror() {
  local sources
  sources=$(apt_sources)
  if [ -z "$sources" ]; then
    as_root apt-get -qq update
    sources=$(apt_sources)
  fi
  # Another suite of the same distribution lies beside ours.
  awk -v wanted="$1" -v own="$(suite_of_host)" '
    $2 == wanted { exact = $1 } $2 == own { beside = $1 }
    END { print exact != "" ? exact : beside }' <<<"$sources" | grep . || {
    echo "apt does not say where $(suite_of_host) comes from: look at its sources" >&2
    return 1
  }
}

chroot_folder() {
  local parent=${FIVEBAR_CHROOT_DIR:-$PWD/build/chroot}
  case $parent in
    # debootstrap cannot work below a folder with a space in its name.
    *[[:space:]]*) parent=${TMPDIR:-/tmp}/fivebar_chroot.$(id -u) ;;
  esac
  echo "$parent/$1"
}

# The proxy of apt, for debootstrap, which only knows the environment.
chroot_proxy() {
  local proxy=${http_proxy:-}
  [ -n "$proxy" ] || eval "$(apt-config shell proxy Acquire::http::Proxy)"
  case $proxy in
    "" | DIRECT) ;;
    *) echo "http_proxy=$proxy" ;;
  esac
}

make_chroot() {
  local suite=$1 folder=$2 mirror include=()
  if [ -e "$folder" ]; then
    echo "make_chroot: $folder is there already" >&2
    return 1
  fi
  mirror=$(apt_mirror "$suite")
  case $mirror in https:*) include=(--include=ca-certificates) ;; esac
  mkdir -p "$(dirname "$folder")"
  echo "A minimal $suite from $mirror"
  # shellcheck disable=SC2046
  as_root unshare --mount env "${chroot_environment[@]}" $(chroot_proxy) \
    debootstrap --variant=minbase "${include[@]}" --components="$(apt_components)" \
    "$suite" "$folder" "$mirror"
  # Updates and security as this machine has them, if it is of the same suite.
  apt_sources | awk -v suite="$suite" -v mirror="$mirror" -v components="$(apt_components)" '
    BEGIN { gsub(",", " ", components); print "deb", mirror, suite, components }
    $2 ~ "^" suite "-" { print "deb", $1, $2, $3 }' | as_root tee "$folder/etc/apt/sources.list" >/dev/null
  in_chroot "$folder" apt-get -qq update
}

in_chroot() { in_chroot_as root "$@"; }

in_chroot_as() {
  local user=$1 folder=$2
  shift 2
  # Not by exec: the first process of a namespace would not feel Ctrl-C.
  # shellcheck disable=SC2016,SC2046
  as_root unshare --mount --pid --fork bash -euc '
    folder=$1 user=$2
    shift 2
    mount -t proc proc "$folder/proc"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$folder/dev/pts"
    rm -f "$folder/dev/ptmx"
    ln -s pts/ptmx "$folder/dev/ptmx"
    mkdir -p "$folder/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$folder/dev/shm"
    home=/root
    [ "$user" = root ] || home=/home/$user
    chroot "$folder" /sbin/runuser -u "$user" -- \
      env -i -C "$home" HOME="$home" "$@"
  ' in_chroot "$folder" "$user" "${chroot_environment[@]}" $(chroot_proxy) "$@" </dev/null
}

remove_chroot() {
  [ -n "$1" ] && [ -e "$1" ] || return 0
  # Nothing of ours outlives its command; if something is mounted there after all, it is somebody's.
  local folder
  folder=$(realpath "$1")
  if awk '{ print $2 }' /proc/mounts | sed 's/\\040/ /g' | grep -q "^$folder\(/\|$\)"; then
    echo "remove_chroot: something is mounted below $folder, so it stays" >&2
    return 1
  fi
  as_root rm -rf --one-file-system "$folder"
}
