# Writes OUTPUT, a C++ source that holds the FILES of a page: a list of name=path, or name=path|path|… of files that are
# one there. Run by cmake -P when one has changed.
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
file(WRITE "${OUTPUT}" "#include \"solver/report/page_files.hpp\"

#include <string>
#include <utility>

#include \"io/text/error.hpp\"

namespace onda {
namespace {

${arrays}
constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
${table}};

}  // namespace

std::string_view page_file(std::string_view name) {
    for (const auto& [known, text] : kFiles)
        if (known == name) return text;
    throw Error(ExitCode::internal, \"the program holds no page file \" + std::string(name));
}

}  // namespace onda
")
