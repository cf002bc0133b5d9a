// Nothing that yaml-cpp accepts silently gets through, and no input makes the reader crash or hang.
// Takes 1 s.
#include "io/config/strict_yaml.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <doctest/doctest.h>
#include <iterator>
#include <limits>
#include <random>

using namespace onda;

namespace {

struct Refused {
    std::string what, text;
    int line, column;
    std::string message;
};

std::string nested(int levels) {
    return "a: " + std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']') + "\n";
}

const std::vector<Refused> kRefused{
    {"duplicate key", "a: 1\nb: 2\na: 3\n", 3, 1, "key 'a' is given twice; the first is on line 1"},
    {"duplicate key in brackets", "a: {b: 1, b: 2}\n", 1, 11, "key 'b' is given twice"},
    {"unterminated double quote", "a: \"text\nb: 2\n", 1, 4, "the quote opened here is not closed"},
    {"unterminated single quote", "a: 'text\nb: 2\n", 1, 4, "the quote opened here is not closed"},
    {"unterminated quote closed by a later one", "a: \"text\nb: \"x\"\n", 1, 4, "the quote opened here is not closed"},
    {"unterminated quote at the end of the file", "a: \"text", 1, 9, "a quote is not closed"},
    {"unterminated quote in brackets", "a: [\"text, 2]\nb: 3\n", 1, 5, "the quote opened here is not closed"},
    {"first key indented deeper", "  a: 1\nb: 2\n", 2, 1, "the text from here on would be ignored"},
    {"first key of a section indented deeper", "g:\n    a: 1\n  b: 2\n", 3, 3, "check the indentation"},
    {"second document", "a: 1\n---\nb: 2\n", 2, 1, "a second document begins here"},
    {"text after the document's end", "a: 1\n...\nb: 2\n", 3, 1, "the text from here on would be ignored"},
    {"list, then a key", "- a\nb: 1\n", 2, 1, "the text from here on would be ignored"},
    {"map in brackets, then a key", "{a: 1}\nb: 2\n", 2, 1, "the text from here on would be ignored"},
    {"NUL", std::string("a: 1\0\n", 6), 1, 5, "control character 0"},
    {"escape", "a: \x1b[31m\n", 1, 4, "control character 27"},
    {"carriage return within a line", "a: 1\rb: 2\n", 1, 5, "a carriage return within a line"},
    {"bad UTF-8", "a: \xc3\x28\n", 1, 4, "not valid UTF-8"},
    {"overlong UTF-8", "a: \xc0\xaf\n", 1, 4, "not valid UTF-8"},
    {"surrogate in UTF-8", "a: \xed\xa0\x80\n", 1, 4, "not valid UTF-8"},
    {"UTF-8 cut short", "a: \xe6\xb3", 1, 4, "not valid UTF-8"},
    {"tab that indents", "a:\n\tb: 1\n", 2, 1, "a tab indents this line"},
    {"merge key", "a: {<<: {b: 1}}\n", 1, 5, "merge keys"},
    {"anchor", "a: &x 1\n", 1, 4, "anchors"},
    {"alias of itself", "a: &x [*x]\n", 1, 4, "anchors"},
    {"tag", "a: !!str 1\n", 1, 4, "tags"},
    {"verbatim tag", "a: !<x> 1\n", 1, 4, "tags"},
    {"tag of a section", "a: !x {b: 1}\n", 1, 4, "tags"},
    {"directive", "%YAML 1.2\n", 1, 1, "directives"},
    {"literal block", "a: |\n  text\nb: 1\n", 1, 4, "block text"},
    {"folded block", "a: >-\n  text\nb: 1\n", 1, 4, "block text"},
    {"text over two lines", "a: one\n  two\nb: 1\n", 1, 4, "text runs over several lines"},
    {"open bracket", "a: [1, 2\nb: 3\n", 1, 8, "is a bracket or a comma missing?"},
    {"closing bracket alone", "a: 1\n]\n", 2, 1, "a closing bracket without an opening one"},
    {"list as a key", "? [a]\n: b\n", 1, 3, "a key must be a word"},
    {"no key", ": b\n", 1, 1, "a key must be a word"},
    {"key without a colon", "a: 1\nb\n", 2, 1, "a ':' is missing after this key"},
    {"key without a colon in brackets", "a: {\"b\", c: 1}\n", 1, 5, "a ':' is missing after this key"},
    {"value where a key should stand", "a:\n'b'\nc: 1\n", 2, 1, "a value must be indented deeper than its key"},
    {"17 levels", nested(16), 1, 19, "nested more than 16 levels deep"},
    {"open brackets without end", "a: " + std::string(100000, '[') + "\n", 1, 12, "nested more than 16 levels deep"},
    {"more than 1 MiB", "a: " + std::string(kMaxYamlBytes, 'x') + "\n", 1, 1, "the limit is 1 MiB"},
    {"100001 values",
     "a: [" +
         [] {
             std::string list;
             for (int i = 0; i < 100001; ++i) list += "1,";
             return list;
         }() +
         "]\n",
     1, 199999, "more than 100000 values"},
    {"six bytes that LoadAll never ends on", ", 50]", 1, 1, "the text from here on would be ignored"},
};

/// Where no comment or escape holds letters of its own, the tree holds as many letters and digits as the text.
std::size_t letters(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; }));
}
std::size_t letters(const YamlNode& node) {
    std::size_t count = letters(node.scalar);
    for (const YamlKey& key : node.keys) count += letters(key.name);
    for (const YamlNode& item : node.items) count += letters(item);
    return count;
}

std::string seed_text() {
    return "schema_version: 1\n"
           "title: 'it''s a \"test\"'\n"
           "grid: {shape: [301, 201], spacing_m: 7.5}\n"
           "sources:\n"
           "  - type: point\n"
           "    position_m: [1500, -2.5e1]\n"
           "  -\n"
           "    type: \"line\"\n"
           "output:\n"
           "  pictures: true\n";
}

std::string mutant(std::mt19937& random, std::string text) {
    static const std::string kPieces[] = {":", ": ",  "- ", "\n", "  ",   "[", "]",    "{",    "}",    ",",   "\"",
                                          "'", "#",   "&a", "*a", "!!x ", "|", ">",    "---",  "...",  "%",   "\t",
                                          "?", "<<:", "\r", "@",  "0",    "é", "\xff", "a: b", "\\x0", "    "};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (std::size_t edits = 1 + below(4); edits-- > 0;) {
        const std::size_t at = below(text.size() + 1);
        switch (below(4)) {
            case 0: text.insert(at, kPieces[below(std::size(kPieces))]); break;
            case 1: text.erase(at, 1 + below(6)); break;
            case 2: text.insert(at, text.substr(below(text.size() + 1), below(30))); break;
            default:
                if (at < text.size()) text[at] = static_cast<char>(random());
        }
    }
    return text;
}

}  // namespace

TEST_CASE("what yaml-cpp drops or mistakes is refused at its place") {
    for (const Refused& refused : kRefused) {
        CAPTURE(refused.what);
        const YamlDocument document = read_strict_yaml(refused.text);
        REQUIRE(!document.faults.empty());
        const TextFault& fault = document.faults.front();
        CHECK(fault.place.line == refused.line);
        CHECK(fault.place.column == refused.column);
        CHECK_MESSAGE(fault.message.find(refused.message) != std::string::npos, fault.message);
    }
}

TEST_CASE("a sound document is read whole, with places in characters") {
    const YamlDocument document =
        read_strict_yaml("\xef\xbb\xbf---\r\n\"clé\": [1, {b: 'it''s'}]  # comment\r\n\r\nlast:\r\n- x: \"\\x41\"\r\n");
    REQUIRE(document.faults.empty());
    REQUIRE(document.complete);
    const YamlNode* list = document.root.find("clé");
    REQUIRE(list != nullptr);
    CHECK(list->place.line == 2);
    CHECK(list->place.column == 8);
    CHECK(list->items.at(1).find("b")->scalar == "it's");
    CHECK(list->items.at(1).find("b")->place.column == 16);
    CHECK(document.root.find("last")->items.at(0).find("x")->scalar == "A");
    CHECK(document.root.find("none") == nullptr);
    CHECK(read_strict_yaml(nested(15)).faults.empty());
    CHECK(read_strict_yaml("# only a comment\n").complete);
}

TEST_CASE("numbers follow one grammar, without locale") {
    for (const char* text : {"010", "1_000", "0x10", "0o7", "1.0", "", "+", "-", "+-1", "1 ", " 1", "1e3", "９",
                             "9223372036854775808", "yes", "1,000"})
        CHECK_MESSAGE(!parse_integer(text).has_value(), text);
    CHECK(parse_integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
    CHECK(parse_integer("+7") == 7);
    CHECK(parse_integer("0") == 0);
    for (const char* text : {"010", "01.5", "1_000.", "0x1p3", ".inf", "inf", "nan", ".nan", "1e999", "1,5", "1.2.3",
                             "--1", "+-1", "-", ".", "1e", "e5", "1 m", "12:30"})
        CHECK_MESSAGE(!parse_number(text).has_value(), text);
    CHECK(parse_number("-2.5e-3") == -2.5e-3);
    CHECK(parse_number("+.5") == 0.5);
    CHECK(parse_number("5.") == 5.);
    CHECK(parse_number("0.1") == 0.1);
    CHECK(parse_boolean("true") == true);
    CHECK(parse_boolean("false") == false);
    for (const char* text : {"yes", "no", "on", "True", "FALSE", "1", "y"}) CHECK(!parse_boolean(text).has_value());
}

TEST_CASE("20000 mutants: no crash, no hang, nothing ignored") {
    std::mt19937 random(20240607);
    const auto start = std::chrono::steady_clock::now();
    const std::string seed = seed_text();
    int accepted = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::string text = mutant(random, seed);
        const YamlDocument document = read_strict_yaml(text);
        if (!document.faults.empty()) continue;
        ++accepted;
        REQUIRE(document.complete);
        // Comments and escapes hold letters that no node does.
        if (text.find('#') != std::string::npos || text.find('\\') != std::string::npos) continue;
        REQUIRE_MESSAGE(letters(document.root) == letters(text), text);
    }
    CHECK(accepted > 1000);  // else the mutants test little
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("places in lines longer than any are counted in characters") {
    std::string text = "[";
    std::vector<int> columns;
    int column = 2;
    for (int i = 0; i < 2000; ++i) {
        columns.push_back(column);
        const std::string item =
            i % 3 == 0 ? "\"\xc3\xa9\xe2\x82\xac\"" : "ab";  // two characters of two and three bytes
        text += item + ", ";
        column += (i % 3 == 0 ? 4 : 2) + 2;
    }
    const YamlDocument document = read_strict_yaml(text + "1]\n");
    REQUIRE(document.faults.empty());
    REQUIRE(document.root.items.size() == 2001u);
    for (std::size_t i = 0; i < columns.size(); ++i) CHECK(document.root.items[i].place.column == columns[i]);
}
