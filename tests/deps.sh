#!/bin/sh
# Names the packages whypar and its tests need, and installs those that are missing with the system's own manager.
set -eu

if command -v apt-get >/dev/null 2>&1; then
	manager="apt-get install -y --no-install-recommends"
	packages="gcc make pkg-config libc6-dev libncurses-dev libcsv-dev libpcre2-dev libjansson-dev libglpk-dev libcmocka-dev libvterm-dev mandoc clang libclang-rt-14-dev libopenmpi-dev openmpi-bin"
	have() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
elif command -v dnf >/dev/null 2>&1; then
	manager="dnf install -y"
	packages="gcc make pkgconf-pkg-config ncurses-devel libcsv-devel pcre2-devel jansson-devel glpk-devel libcmocka-devel libvterm-devel mandoc clang compiler-rt openmpi-devel"
	have() { rpm -q "$1" >/dev/null 2>&1; }
elif command -v pacman >/dev/null 2>&1; then
	manager="pacman -S --noconfirm --needed"
	packages="gcc make pkgconf ncurses libcsv pcre2 jansson glpk cmocka libvterm mandoc clang compiler-rt openmpi"
	have() { pacman -Q "$1" >/dev/null 2>&1; }
elif command -v brew >/dev/null 2>&1; then
	manager="brew install"
	packages="pkg-config ncurses libcsv pcre2 jansson glpk cmocka libvterm mandoc open-mpi"
	have() { brew list "$1" >/dev/null 2>&1; }
else
	echo "deps: none of apt-get, dnf, pacman, brew is here.  Install by hand: a C11 compiler, make, pkg-config," >&2
	echo "      ncurses (wide), libcsv, PCRE2, jansson, GLPK (optional); for the tests cmocka, libvterm, mandoc, clang." >&2
	exit 1
fi

missing=
for package in $packages; do
	have "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
	echo "deps: everything is here"
	exit 0
fi
echo "deps: will install$missing"
sudo=
if [ "${manager%% *}" != brew ] && [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null 2>&1 || { echo "deps: not root and no sudo; as root run: $manager$missing" >&2; exit 1; }
	sudo=sudo
fi
if [ "${manager%% *}" = apt-get ]; then
	export DEBIAN_FRONTEND=noninteractive
	[ -n "$(find /var/lib/apt/lists -name '*Packages*' 2>/dev/null | head -n 1)" ] || $sudo apt-get update
fi
# The list is split into words on purpose.
$sudo $manager $missing
