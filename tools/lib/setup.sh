# Common parts of the scripts in tools/ that install packages or build: installing what tools/lib/packages lists, and configuring and
# building a preset. Sourced by bash.

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

step() {
  printf '\n== %s\n' "$*"
}

is_installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "not root and no sudo: as root, run: $*"
  fi
}

# install_missing PACKAGE...: no apt call when nothing is missing.
install_missing() {
  command -v apt-get >/dev/null || die "not a Debian or Ubuntu system; it needs what these packages hold: $*"
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  step "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# packages_for PURPOSE...: what the list names for these.
packages_for() {
  local IFS='|'
  awk -v purposes="^($*)\$" '!/^#/ && $1 ~ purposes { print $2 }' "${BASH_SOURCE[0]%/*}/packages"
}

# install_for PURPOSE...
install_for() {
  local packages
  mapfile -t packages < <(packages_for "$@")
  ((${#packages[@]})) || die "no package is for $*"
  install_missing "${packages[@]}"
}

# OpenSSL 3 keeps Blowfish in a module that Debian 13 and later package by itself.
install_blowfish() {
  openssl list -providers -provider legacy >/dev/null 2>&1 || install_for blowfish
}

install_for_building() {
  install_for build library
  install_blowfish
}

# Makes a virtual environment, build/python, with the requirements of the Python package's tests. If that fails, the last line
# on standard output says why.
make_python_environment() {
  local environment=build/python requirements=tests/python/requirements.txt
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "python3 is older than 3.11"
    return 1
  fi
  cmp --silent "$requirements" "$environment/requirements.txt" && return
  if ! python3 -m venv --clear "$environment" ||
    ! "$environment/bin/pip" install --quiet --retries 1 --only-binary :all: --requirement "$requirements"; then
    echo "no package index gave the wheels of $requirements"
    return 1
  fi
  cp "$requirements" "$environment/requirements.txt"
}

# Chooses kernels for the GPUs of this machine, or for none: those for all GPUs take minutes to compile. Sets kernel_options.
# shellcheck disable=SC2034  # the scripts that source this file use it
choose_kernels() {
  local capabilities
  kernel_options=()
  command -v nvcc >/dev/null || [[ -n ${CUDACXX:-} ]] || return 0
  # No driver, or no GPU, is no failure.
  capabilities=$({ nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } | tr -d '. ' | sort -u | paste -sd ';')
  if [[ $capabilities =~ ^[0-9]+(\;[0-9]+)*$ ]]; then
    echo "kernels for the GPUs here only (${capabilities//;/, }); for all: -DFUGU_CUDA_ARCHITECTURES="
    kernel_options=(-DFUGU_CUDA=ON "-DFUGU_CUDA_ARCHITECTURES=$capabilities")
  else
    echo "no GPU here, so no kernels are compiled; to have them all the same: -DFUGU_CUDA=ON"
    kernel_options=(-DFUGU_CUDA=OFF)
  fi
}

# use_ccache: if it is installed. Sets launcher to the CMake options.
use_ccache() {
  launcher=()
  command -v ccache >/dev/null || return 0
  # Paths below the checkout are hashed as relative ones, and precompiled headers by their content.
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_EXTRAFILES=$PWD/tests/fuzz/covered.txt
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
}

# configure_and_build PRESET TARGET [CMAKE_OPTION...]: by ccache, if it is installed.
configure_and_build() {
  local preset=$1 target=$2 launcher
  shift 2
  step "building $preset ($target)"
  use_ccache
  cmake --preset "$preset" --log-level=WARNING "${launcher[@]}" "$@"
  cmake --build --preset "$preset" --target "$target" --parallel "$(nproc)"
}

# Times in what is built: the commit's, if SOURCE_DATE_EPOCH names no other.
use_commit_time() {
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
  export SOURCE_DATE_EPOCH
}

# clone_commit FOLDER: the commit that is checked out, for a second build that is compared with the first.
clone_commit() {
  [[ -z $(git status --porcelain --untracked-files=no) ]] || die "commit first: the second build is of the commit"
  git clone --quiet . "$1"
}

debian_suite() {
  (. /etc/os-release && echo "$VERSION_CODENAME")
}

# make_root ROOT MMDEBSTRAP_ARGUMENT...: once.
make_root() {
  local root=$1
  shift
  [[ ! -e $root.made ]] || return 0
  ((EUID == 0)) || die "it makes roots of Debian, which takes a root user"
  install_for root
  step "root ${root##*/}"
  rm -rf "$root" && mkdir -p "${root%/*}"
  mmdebstrap --quiet "${@:2}" "$1" "$root" && touch "$root.made"
}

# share_pip ROOT: pip has this machine's settings and certificates in the root. Sets settings for env.
share_pip() {
  local certificates=/usr/local/share/pip.crt  # which no package of the root replaces
  mapfile -t settings < <(env | grep '^PIP_' | grep -v '^PIP_CERT=')
  if [[ -n ${PIP_CERT:-} ]]; then
    install -D --mode=644 "$PIP_CERT" "$1$certificates"
    settings+=("PIP_CERT=$certificates")
  fi
}

# in_root ROOT COMMAND...: in a root of Debian, which has this checkout as /fugu. The mounts end with their namespace.
in_root() {
  local root=$1 settings
  shift
  share_pip "$root"
  cp --dereference /etc/resolv.conf "$root/etc"
  mkdir -p "$root/fugu"
  # shellcheck disable=SC2016  # the inner shell's variables
  unshare --mount bash -euc '
    mount --bind . "$1/fugu" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev"
    exec chroot "$@"' - "$root" env -C /fugu -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "${settings[@]}" "$@"
}

# cross_configure FOLDER MACHINE ROOT CMAKE_OPTION...: configures with MACHINE's compiler and the libraries of ROOT, by its absolute path.
cross_configure() {
  local folder=$1 machine=$2 root=$3 triplet=$2-linux-gnu
  shift 3
  PKG_CONFIG_LIBDIR=$root/usr/local/lib/pkgconfig:$root/usr/lib/$triplet/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
    cmake -G Ninja --log-level=WARNING -B "$folder" -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
    "-DCMAKE_SYSTEM_PROCESSOR=$machine" "-DCMAKE_C_COMPILER=${triplet/i386/i686}-gcc" "-DCMAKE_CXX_COMPILER=${triplet/i386/i686}-g++" \
    "-DCMAKE_LIBRARY_ARCHITECTURE=$triplet" "-DCMAKE_SYSROOT=$root" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY "$@"
}
