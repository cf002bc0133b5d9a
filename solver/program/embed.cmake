# Writes OUTPUT, a C++ source that holds FILES as FUNCTION(), which HEADER declares: a list of name=path, or
# name=path|path|… of files that are one there. Run by cmake -P when one has changed.
set(table "")
set(arrays "")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.*)$" entry "${entry}")
  set(name "${CMAKE_MATCH_1}")
  string(REPLACE "|" ";" paths "${CMAKE_MATCH_2}")
  set(text "")
  foreach(path IN LISTS paths)
    file(READ "${path}" part)
    string(APPEND text "${part}")
  endforeach()
  # Browsers would look for the map of a library's sources beside the page.
  string(REGEX REPLACE "/[/*]# sourceMappingURL=[^\n]*" "" text "${text}")
  string(HEX "${text}" hex)
  # Bytes one by one: string literals of this length are beyond what C++ promises.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(MAKE_C_IDENTIFIER "${name}" identifier)
  string(APPEND arrays "constexpr char ${identifier}[] = {${bytes}};\n")
  string(APPEND table "    {\"${name}\", {${identifier}, sizeof(${identifier})}},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace onda {
namespace {

${arrays}
constexpr EmbeddedFile kFiles[] = {
${table}};

}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() {
    return kFiles;
}

}  // namespace onda
")
