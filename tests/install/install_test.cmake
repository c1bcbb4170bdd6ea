# Builds and runs the three programs of CONSUMER. HOW: package (installs BUILD into an empty prefix first, for find_package
# and for pkg-config) or subproject (FetchContent of SOURCE, as a shared library).
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}: ${ARGN}")
  endif()
endfunction()

function(run_programs directory)
  file(MAKE_DIRECTORY ${WORK}/files)
  run(${directory}/buffer)
  run(${directory}/file ${WORK}/files)
  run(${directory}/walsh_gpu)
  file(REMOVE_RECURSE ${WORK}/files)
endfunction()

function(build_consumer)
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/build)
  run_programs(${WORK}/build)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(HOW STREQUAL "subproject")
  # Nothing is forced on the parent: it has no build type, and gets none. -O0 because only linking is tested.
  build_consumer(-DFUGU_SOURCE=${SOURCE} -DBUILD_SHARED_LIBS=ON -DFUGU_UNITY=ON -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
  run(${CMAKE_COMMAND} -E env ${PYTHON} ${SOURCE}/tests/install/check_symbols.py ${WORK}/build/_deps/fugu-build)
  return()
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --config ${CONFIG})
build_consumer(-DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_PREFIX_PATH=${WORK}/prefix -DFUGU_VERSION=${VERSION})

find_program(PKG_CONFIG pkg-config)
if(NOT PKG_CONFIG)
  message(STATUS "pkg-config is not installed: its file is not tried")
  return()
endif()
file(GLOB_RECURSE pc ${WORK}/prefix/fugu.pc)
get_filename_component(pc_directory ${pc} DIRECTORY)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_directory} ${PKG_CONFIG} --cflags --libs --static fugu
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags)
separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS}")
file(MAKE_DIRECTORY ${WORK}/pkg-config)
foreach(program buffer file walsh_gpu)
  run(${CXX} -std=c++20 ${cxx_flags} ${CONSUMER}/${program}.cpp -o ${WORK}/pkg-config/${program} ${flags})
endforeach()
run_programs(${WORK}/pkg-config)
