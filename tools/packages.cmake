# The Debian packages that `cpack` makes (tools/package builds and tests them), one per component of the installation.
include(GNUInstallDirs)

set(CPACK_COMPONENTS_ALL libfugu-dev)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL libfugu0)
endif()
if(FUGU_CLI)
  list(APPEND CPACK_COMPONENTS_ALL fugu)
endif()
if(FUGU_PROVIDER)
  list(APPEND CPACK_COMPONENTS_ALL fugu-openssl-provider)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "fugu maintainers <maintainers@fugu.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packages_stage.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# fugu_package(NAME SECTION SUMMARY DESCRIPTION)
macro(fugu_package name section summary description)
  string(TOUPPER ${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${description}")
endmacro()

fugu_package(fugu utils "Blowfish file encryptor and Walsh spectra laboratory"
  "Encrypts files with Blowfish in an authenticated, seekable format, reads\nwhat other Blowfish programs wrote, and computes Walsh spectra, on all\ncores and on GPUs.")
fugu_package(libfugu0 libs "Blowfish at full speed, shared library"
  "The library behind the program fugu: sealing and opening of files, the\nmodes of Blowfish, and Walsh spectra.")
fugu_package(libfugu-dev libdevel "Blowfish at full speed, development files"
  "Headers, CMake package and pkg-config file of the library fugu.")
fugu_package(fugu-openssl-provider libs "Blowfish for programs that use OpenSSL 3"
  "A provider with the Blowfish ciphers that OpenSSL 3 moved into its legacy\nprovider, under the same names and faster.")
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_LIBFUGU-DEV_PACKAGE_DEPENDS "libfugu0 (= ${PROJECT_VERSION})")
else()
  set(CPACK_DEBIAN_LIBFUGU-DEV_PACKAGE_DEPENDS "libssl-dev, zlib1g-dev, libbz2-dev, libpugixml-dev, libzip-dev, pkg-config")
endif()

file(WRITE ${PROJECT_BINARY_DIR}/packages/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBFUGU0_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/packages/triggers)

# Every package names its licence and its versions.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH if set
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/packages/changelog @ONLY CONTENT
  "fugu (@PROJECT_VERSION@) unstable; urgency=medium\n\n  * Version @PROJECT_VERSION@.\n\n -- @CPACK_PACKAGE_CONTACT@  @date@\n")
file(WRITE ${PROJECT_BINARY_DIR}/packages/copyright "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: fugu

Files: *
Copyright: 2026 the authors of fugu
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0 on Debian systems.
")
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND ${GZIP} -9nfk ${PROJECT_BINARY_DIR}/packages/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(documents ${CMAKE_INSTALL_DATADIR}/doc/${component})
  install(FILES ${PROJECT_BINARY_DIR}/packages/copyright ${PROJECT_BINARY_DIR}/packages/changelog.gz
    DESTINATION ${documents} COMPONENT ${component})
endforeach()

include(CPack)
