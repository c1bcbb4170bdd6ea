# Makes a source distribution of SOURCE, installs it with pip under WORK without the network, and uses it from there.
include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)
set(RUN_OPTIONS WORKING_DIRECTORY ${WORK})

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} -E env PYTHONPATH=${SOURCE} ${PYTHON} -B -c "__import__('sdist_backend').build_sdist('${WORK}')")
file(GLOB package ${WORK}/fugu-*.tar.gz)
set(environment ${CMAKE_COMMAND} -E env CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${environment} ${PYTHON} -m pip install --quiet --no-index --no-deps --no-build-isolation --target ${WORK}/site
  --config-settings=cmake.build-type=Debug --config-settings=cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O0
  --config-settings=cmake.define.FUGU_CUDA=OFF --config-settings=cmake.define.FUGU_UNITY=ON
  --config-settings=build-dir=${WORK}/build ${package})

file(GLOB_RECURSE installed RELATIVE ${WORK}/site ${WORK}/site/*)
list(FILTER installed EXCLUDE REGEX "^fugu-[0-9.]+\\.dist-info/|^fugu/(_[a-z_]+|__init__|models|torch)\\.pyi?$|^fugu/py\\.typed$|^fugu/_fugu\\.[^/]*\\.so$|__pycache__")
if(installed)
  message(FATAL_ERROR "installed besides the package: ${installed}")
endif()
run(${CMAKE_COMMAND} -E env PYTHONPATH=${WORK}/site ${PYTHON} -c
  "import fugu, numpy; assert fugu.walsh(numpy.eye(4, dtype=numpy.int32)[0]).tolist() == [1] * 4; print(fugu.__file__)")
