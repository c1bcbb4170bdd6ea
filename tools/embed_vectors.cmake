# fugu_embed_vectors(TARGET) generates the definition of src/cli/check/embedded_vectors.hpp from vectors/*.vec and from
# sealed.kit and sealed2.kit in the folders of vectors/, and adds it to TARGET. As a script (cmake -P) this file is the
# generator: OUTPUT is written from the files in VECTORS and KITS. From a kit it takes the files with a segment size that
# every reader accepts.
#
# The format is vectors/SOURCES.md's. What is not a field stops the build; the tests read the vectors from here.

function(fugu_embed_vectors target)
  file(GLOB vectors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/vectors/*.vec)
  file(GLOB kits CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/vectors/*/sealed.kit
    ${PROJECT_SOURCE_DIR}/vectors/*/sealed2.kit)
  set(script ${PROJECT_SOURCE_DIR}/tools/embed_vectors.cmake)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_vectors.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DVECTORS=${vectors}" "-DKITS=${kits}" -P ${script}
    DEPENDS ${vectors} ${kits} ${script}
    COMMENT "Embedding vectors"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

cmake_policy(VERSION 3.25)

# Turns hex into a call of bytes("\x.."), or "{}" for none.
function(bytes_expression hex out)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${hex}")
  if(escaped STREQUAL "")
    set(${out} "{}" PARENT_SCOPE)
  else()
    set(${out} "bytes(\"${escaped}\")" PARENT_SCOPE)
  endif()
endfunction()

set(entries "")
foreach(file IN LISTS VECTORS)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(REPLACE ";" "," text "${text}")
  string(REPLACE "\n" ";" lines "${text};")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(line MATCHES "^(mode|words|counter) = ([a-z0-9]+)$")
      set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    elseif(line MATCHES "^(key|iv|plaintext|ciphertext) = (([0-9a-f][0-9a-f])+)$")
      bytes_expression(${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
    elseif(NOT line MATCHES "^(#.*)?$")
      message(FATAL_ERROR "${name}:${number}: not a field: ${line}")
    endif()
    if(line MATCHES "^mode = ")  # begins a record, which the ciphertext ends
      set(first_line ${number})
      set(words big)
      set(counter big)
      set(iv "{}")
      set(key)  # without which the table does not compile
      set(plaintext)
    elseif(line MATCHES "^ciphertext = ")
      string(APPEND entries "    {\"${name}:${first_line}\", Mode::${mode}, ByteOrder::${words}, ByteOrder::${counter},\n"
        "     ${key}, ${iv},\n     ${plaintext},\n     ${ciphertext}},\n")
    endif()
  endforeach()
endforeach()
set(sealed "")
foreach(file IN LISTS KITS)
  file(STRINGS ${file} lines REGEX "^(name|slot|secret|min_segment_log2|class|released_sha256|file) = ")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z_0-9]+) = ?" start "${line}")
    set(field ${CMAKE_MATCH_1})
    string(REPLACE "${start}" "" sealed_${field} "${line}")
    if(field STREQUAL "name")
      set(sealed_released_sha256 "")
    elseif(field STREQUAL "file" AND sealed_min_segment_log2 EQUAL 16)
      set(opens false)
      if(sealed_class STREQUAL "success")
        set(opens true)
      endif()
      bytes_expression("${sealed_secret}" secret)
      bytes_expression("${sealed_released_sha256}" sha256)
      bytes_expression("${sealed_file}" bytes)
      string(APPEND sealed "    {\"${sealed_name}\", \"${sealed_slot}\", ${secret}, ${opens}, ${sha256},\n     ${bytes}},\n")
    endif()
  endforeach()
endforeach()
if(sealed STREQUAL "")
  message(FATAL_ERROR "no sealed files to embed")
endif()
if(entries STREQUAL "")
  message(FATAL_ERROR "no vectors to embed")
endif()

file(WRITE ${OUTPUT} "// Generated from vectors/ by tools/embed_vectors.cmake.
#include \"cli/check/embedded_vectors.hpp\"

namespace fugu::cli {
namespace {

using core::ByteOrder;
using mode::Mode;

template <std::size_t size>
std::span<const std::byte> bytes(const char (&text)[size]) {
  return std::as_bytes(std::span(text, size - 1));
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // C++ need take 65536 characters only
std::span<const EmbeddedVector> embedded_vectors() noexcept {
  static const EmbeddedVector vectors[] = {
${entries}  };
  return vectors;
}

std::span<const EmbeddedSealedFile> embedded_sealed_files() noexcept {
  static const EmbeddedSealedFile files[] = {
${sealed}  };
  return files;
}
#pragma GCC diagnostic pop

}  // namespace fugu::cli
")
