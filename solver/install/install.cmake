# What `cmake --install` leaves: the component `program` (the program, its examples and documents), `python`
# (python/CMakeLists.txt), and `development` (libraries, headers and find_package(onda)).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS onda_cli RUNTIME COMPONENT program)
if(TARGET onda_mpi)
  install(TARGETS onda_mpi LIBRARY DESTINATION lib/onda COMPONENT mpi)
endif()
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/onda/configs COMPONENT program
  FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT program
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT program
  FILES_MATCHING PATTERN "*.py" PATTERN "*.ipynb" PATTERN "*.cpp" PATTERN "find_package/CMakeLists.txt")

# The manual page and the completions of shells are the program's own words.
set(share ${PROJECT_BINARY_DIR}/share)
set(shell_files "man/man1/onda.1;man" "bash-completion/completions/onda;completion bash"
  "zsh/vendor-completions/_onda;completion zsh" "fish/vendor_completions.d/onda.fish;completion fish")
while(shell_files)
  list(POP_FRONT shell_files file command)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${share}/${folder})
  add_custom_command(OUTPUT ${share}/${file} DEPENDS onda_cli VERBATIM
    COMMAND sh -c "\"$1\" ${command} >\"$2\"" sh $<TARGET_FILE:onda_cli> ${share}/${file})
  list(APPEND share_files ${share}/${file})
  if(file MATCHES "^man/")
    # Debian's policy wants it compressed, and `man` reads both.
    add_custom_command(OUTPUT ${share}/${file}.gz DEPENDS ${share}/${file} VERBATIM
      COMMAND sh -c "gzip -9n <\"$1\" >\"$2\"" sh ${share}/${file} ${share}/${file}.gz)
    list(APPEND share_files ${share}/${file}.gz)
    install(FILES ${share}/${file}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT program)
  else()
    install(FILES ${share}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT program)
  endif()
endwhile()
add_custom_target(onda_shell_files ALL DEPENDS ${share_files})

set(ONDA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/onda)
install(TARGETS onda onda_io onda_kernels onda_options EXPORT onda-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onda)
foreach(room solver kernels io)
  install(DIRECTORY ${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onda COMPONENT development
    FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(EXPORT onda-targets NAMESPACE onda:: DESTINATION ${ONDA_CMAKE_DIR} COMPONENT development)
configure_package_config_file(solver/install/onda-config.cmake.in ${PROJECT_BINARY_DIR}/onda-config.cmake
  INSTALL_DESTINATION ${ONDA_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onda-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/onda-config.cmake ${PROJECT_BINARY_DIR}/onda-config-version.cmake
  solver/install/dependencies.cmake DESTINATION ${ONDA_CMAKE_DIR} COMPONENT development)
