# Debian requires more of packages than of an installation: compressed manuals, stripped modules. cpack runs this over the
# files of a package before it packs them.
file(GLOB_RECURSE manuals ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*.[157])
foreach(manual IN LISTS manuals)
  execute_process(COMMAND gzip -9nf ${manual} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE modules ${CPACK_TEMPORARY_DIRECTORY}/fugu.so)
foreach(module IN LISTS modules)
  execute_process(COMMAND strip --strip-unneeded --remove-section=.comment ${module} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
