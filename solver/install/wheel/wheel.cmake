# What a wheel has beside the Python package (python/CMakeLists.txt): the program, and the font of its pictures, which a
# machine without fonts lacks (io/pictures/drawing.cpp takes it from there).
install(TARGETS onda_cli RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
foreach(face DejaVuSans DejaVuSans-Bold)
  find_file(ONDA_FONT_${face} ${face}.ttf PATHS /usr/share/fonts/truetype/dejavu NO_DEFAULT_PATH)
  if(ONDA_FONT_${face})
    install(FILES ${ONDA_FONT_${face}} DESTINATION onda/fonts COMPONENT python)
  endif()
endforeach()
