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

# configure_and_build PRESET TARGET [CMAKE_OPTION...]: by ccache, if it is installed.
configure_and_build() {
  local preset=$1 target=$2 launcher=()
  shift 2
  step "building $preset ($target)"
  if command -v ccache >/dev/null; then
    # Paths below the checkout are hashed as relative ones, and precompiled headers by their content.
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_EXTRAFILES=$PWD/tests/fuzz/covered.txt
    export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  fi
  cmake --preset "$preset" --log-level=WARNING "${launcher[@]}" "$@"
  cmake --build --preset "$preset" --target "$target" --parallel "$(nproc)"
}
