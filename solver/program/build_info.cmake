# Writes build_info.hpp; touches it only when something changed, so that a build without changes does nothing.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
string(REPLACE "\"" "\\\"" FLAGS "${FLAGS}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#pragma once
#define ONDA_VERSION "@VERSION@"
#define ONDA_GIT_COMMIT "@COMMIT@"
#define ONDA_COMPILER "@COMPILER@"
#define ONDA_BUILD_TYPE "@BUILD_TYPE@"
#define ONDA_FLAGS "@FLAGS@"
]] @ONLY)
