# shellcheck shell=bash
# Small Debian systems in folders, for checks that want a machine on which nothing was ever installed. Sourced.
# Needs root, debootstrap and unshare. Nothing stays mounted: each command has mounts of its own, which end with it.

# as_root COMMAND...
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# apt_mirror: where this machine's own apt takes its distribution from.
apt_mirror() {
  local codename origin
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  origin=$(. /etc/os-release && echo "${ID^}")
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Origin: $origin" "Codename: $codename" \
    'Component: main' | head -n 1
}

# make_chroot SUITE FOLDER: a minimal system in FOLDER, with this machine's mirror and the ordinary user `lab`.
make_chroot() {
  local suite=$1 root=$2 mirror script=()
  mirror=$(apt_mirror)
  [ -n "$mirror" ] || { echo "this machine's apt settings name no mirror"; return 1; }
  # An older debootstrap does not know newer suites, which are made alike.
  [ -e "/usr/share/debootstrap/scripts/$suite" ] || script=(/usr/share/debootstrap/scripts/sid)
  as_root debootstrap --variant=minbase "$suite" "$root" "$mirror" "${script[@]}"
  apt-config dump | grep -i '::proxy' | as_root tee "$root/etc/apt/apt.conf.d/99mirror" >/dev/null || true
  in_chroot "$root" root useradd --create-home --shell /bin/bash lab
}

# in_chroot FOLDER USER COMMAND...: with a fresh environment, in that user's home.
in_chroot() {
  local root=$1 user=$2
  shift 2
  # shellcheck disable=SC2016
  as_root unshare --mount --pid --fork --kill-child bash -euc '
    root=$1 user=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mkdir -p "$root/run"
    home=/root
    [ "$user" = root ] || home=/home/$user
    exec chroot "$root" /usr/bin/setpriv --reuid "$user" --regid "$user" --init-groups \
      /usr/bin/env -i HOME="$home" USER="$user" TERM=dumb PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
      DEBIAN_FRONTEND=noninteractive LC_ALL="${CHROOT_LOCALE:-C.UTF-8}" \
      /bin/bash -c "cd && exec \"\$@\"" command "$@"' bash "$root" "$user" "$@"
}

# remove_chroot FOLDER: refuses where something is mounted below it.
remove_chroot() {
  local root=$1
  if grep -qF " $root/" /proc/mounts; then
    echo "something is mounted below $root: not removed"
    return 1
  fi
  as_root rm -rf --one-file-system "$root"
}
