# Static libraries, compiled from the sources of Debian's packages, for tools/static, tools/wheels, tools/web and tools/windows, which
# source this file after setup.sh and say by `configure FOLDER CMAKE_OPTION...` how a library is configured. Each is installed in ROOT/usr/local.

sources=$PWD/build/sources

# OpenSSL without the protocols, and without ciphers that no format has.
# shellcheck disable=SC2034  # the scripts that source this file use it
unused_in_openssl=(no-{sock,ui-console,ssl,tls,dtls,ct,cms,ts,ocsp,cmp,srp,srtp,psk,aria,camellia,seed,sm2,sm4,idea,rc2,rc4,rc5,cast}
  no-{siphash,dsa,dh,ec2m,deprecated})

# apt_sources ARGUMENT...: apt-get, which knows the sources of this Debian's packages and nothing else. The system's settings stay.
apt_sources() {
  apt-get -qq -o "Dir::Etc::SourceList=$sources/apt/sources.list" -o "Dir::Etc::SourceParts=$sources/apt/sources.list.d" \
    -o "Dir::State::Lists=$sources/apt/lists" -o APT::Sandbox::User=root "$@"
}

# Lists the mirrors of this Debian for sources.
prepare_apt_sources() {
  local origin file
  origin=$(. /etc/os-release && echo "${NAME%% *}")
  mkdir -p "$sources/apt/sources.list.d" "$sources/apt/lists/partial"
  touch "$sources/apt/sources.list"
  # shellcheck disable=SC2016  # apt's variables
  apt-get indextargets --format '$(SOURCESENTRY)' 'Created-By: Packages' "Origin: $origin" | sed 's/:[0-9]*$//' | sort -u |
    while read -r file; do
      sed -E 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$file" >"$sources/apt/sources.list.d/${file##*/}"
    done
  apt_sources update
}

# fetch_sources PACKAGE...: as build/sources/PACKAGE, with Debian's patches. A mirror may not have a security update yet.
fetch_sources() {
  local package suite
  suite=$(debian_suite)
  install_missing dpkg-dev
  for package in "$@"; do
    [[ ! -e $sources/$package ]] || continue
    step "the sources of $package"
    [[ -e $sources/apt ]] || prepare_apt_sources
    rm -rf "$sources/unpacked" && mkdir "$sources/unpacked"
    (
      cd "$sources/unpacked" || exit
      apt_sources source "$package" || apt_sources source "$package/$suite"
    )
    mv "$sources"/unpacked/*/ "$sources/$package"
  done
}

# build_openssl TARGET FOLDER ROOT [OPTION...]: libcrypto with its legacy provider, which is a module otherwise.
build_openssl() {
  local folder=$2 prefix=$3/usr/local
  [[ ! -e $prefix/lib/libcrypto.a ]] || return 0
  step "OpenSSL for $1"
  mkdir -p "$folder"
  (
    cd "$folder" || exit
    "$sources/openssl/Configure" "$1" no-module no-shared no-tests no-engine no-dso no-autoload-config "${@:4}" >configure.log
    # It contains the time of its build: that of Debian's package, so that it is the same for every commit.
    SOURCE_DATE_EPOCH=$(date --date="$(sed -n '/^ -- /{s/.*>  //p;q}' "$sources/openssl/debian/changelog")" +%s) \
      make -s --jobs "$(nproc)" build_generated libcrypto.a >make.log
  )
  install -D --mode=644 --target-directory="$prefix/include/openssl" "$sources"/openssl/include/openssl/*.h "$folder"/include/openssl/*.h
  install -D --mode=644 --target-directory="$prefix/lib" "$folder/libcrypto.a"
}

# compile_libraries FOLDER ROOT: zlib and bzip2, which need no configuration, by the commands in CC and AR.
compile_libraries() {
  compile_library z zlib "$@" zconf.h zlib.h {adler32,compress,crc32,deflate,inffast,inflate,inftrees,trees,uncompr,zutil}.c
  compile_library bz2 bzip2 "$@" bzlib.h {blocksort,bzlib,compress,crctable,decompress,huffman,randtable}.c
}

# compile_library NAME PACKAGE FOLDER ROOT FILE...: libNAME.a of C files, and its headers.
compile_library() {
  local folder=$3/$2 prefix=$4/usr/local file
  [[ ! -e $prefix/lib/lib$1.a ]] || return 0
  step "$2"
  mkdir -p "$folder" "$prefix"/{include,lib}
  for file in "${@:5}"; do
    case $file in
      *.h) cp "$sources/$2/$file" "$prefix/include" ;;
      *.c) $CC -O2 -DHAVE_UNISTD_H -c "$sources/$2/$file" -o "$folder/$file.o" ;;
    esac
  done
  $AR rcs "$prefix/lib/lib$1.a" "$folder"/*.o
}

# build_library PACKAGE FOLDER ROOT [CMAKE_OPTION...]
build_library() {
  [[ ! -e $2/installed ]] || return 0
  step "$1"
  configure "$2" -S "$sources/$1" -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local -DCMAKE_INSTALL_LIBDIR=lib "${@:4}"
  cmake --build "$2" --parallel "$(nproc)"
  DESTDIR=$3 cmake --install "$2" >"$2/installed"
}

# build_libzip FOLDER ROOT: as OpenDocument files need it.
build_libzip() {
  build_library libzip "$1" "$2" -DENABLE_{BZIP2,COMMONCRYPTO,GNUTLS,LZMA,MBEDTLS,OPENSSL,ZSTD}=OFF \
    -DBUILD_{DOC,EXAMPLES,REGRESS,TOOLS}=OFF
}

# open_kits_here FILE: what the library built here does with every sample, for comparisons. Sets kits and open_kits.
open_kits_here() {
  local native=build/release
  if [[ -e $native/build.ninja ]]; then
    cmake --build "$native" --target open_kits
  else
    native=build/debug
    configure_and_build debug open_kits
  fi
  kits=(vectors/foreign/*.kit vectors/documents/*.kit)
  open_kits=$PWD/$native/tests/platform/open_kits
  cat "${kits[@]}" | "$open_kits" >"$1"
}

# notices FILE...: for who passes on what is built; Debian's lists of the libraries' licences. Boost's asks for no notice.
notices() {
  local file
  echo "fugu is under the Apache License 2.0, which apache.org/licenses has. What is built of it contains these libraries:"
  for file in "$@"; do
    printf '\n----------------------------------------\n\n'
    cat "$file"
  done
}
