#include "io/config/strict_yaml.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

/// Characters of well-formed UTF-8.
int characters(std::string_view text) {
    return static_cast<int>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::string_view trimmed(std::string_view line) {
    const auto first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

/// Lines of the text and the conversion of byte offsets to places.
class Lines {
public:
    explicit Lines(std::string_view text) : text_(text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\n') start_.push_back(i + 1);
            if (i % kStretch == 0) before_.push_back(i == 0 ? 0 : characters_before(i));
        }
    }

    [[nodiscard]] std::size_t count() const { return start_.size(); }
    /// Line without its end, 0-based.
    [[nodiscard]] std::string_view line(std::size_t index) const {
        if (index >= start_.size()) return {};
        const std::size_t end = index + 1 < start_.size() ? start_[index + 1] - 1 : text_.size();
        std::string_view line = text_.substr(start_[index], end - start_[index]);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    /// \param byte offset in the line, 0-based.
    [[nodiscard]] TextPlace place(std::size_t index, std::size_t byte) const {
        const std::size_t begin = index < start_.size() ? start_[index] : text_.size();
        const std::size_t end = begin + std::min(byte, line(index).size());
        return {static_cast<int>(index) + 1, characters_before(end) - characters_before(begin) + 1};
    }

private:
    /// Lines may be as long as the text: characters are counted from the stretch that a byte is in.
    static constexpr std::size_t kStretch = 256;
    [[nodiscard]] int characters_before(std::size_t byte) const {
        if (before_.empty()) return 0;
        const std::size_t stretch = std::min(byte / kStretch, before_.size() - 1);
        return before_[stretch] + characters(text_.substr(stretch * kStretch, byte - stretch * kStretch));
    }

    std::string_view text_;
    std::vector<int> before_;  ///< characters before each stretch
    std::vector<std::size_t> start_{0};
};

/// What must hold before a parser sees the text. The first error is enough: text that fails here is not a config.
std::optional<TextFault> check_characters(std::string_view text) {
    if (text.size() > kMaxYamlBytes)
        return TextFault{{1, 1}, "the text has " + std::to_string(text.size()) + " bytes; the limit is 1 MiB"};
    int line = 1;
    std::size_t line_start = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto fault = [&](const std::string& message) {
            return TextFault{{line, characters(text.substr(line_start, i - line_start)) + 1}, message};
        };
        const auto length = utf8_length(text.substr(i));
        const auto c = static_cast<unsigned char>(text[i]);
        if (length == 0) return fault("not valid UTF-8; save the file as UTF-8 text");
        if (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))
            return fault("a carriage return within a line; lines end with LF or CR LF");
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return fault("control character " + std::to_string(c) + "; a configuration is plain text");
        if (c == '\n') ++line, line_start = i + 1;
        i += length;
    }
    return std::nullopt;
}

/// Ends the parse from inside a handler once an error makes the rest meaningless.
struct StopParsing : std::exception {};

/// Builds the tree from the parser's events, recording errors.
class TreeBuilder final : public YAML::EventHandler {
public:
    TreeBuilder(const Lines& lines, YamlDocument& document) : lines_(lines), document_(document) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
        visit(mark);
        refuse_properties(mark, "");
        add(node(YamlNode::Kind::null, mark));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        visit(mark);
        fault(mark, "aliases (*name) are not accepted: write the value itself");
        add(node(YamlNode::Kind::null, mark));
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
        visit(mark);
        YamlNode scalar = node(YamlNode::Kind::scalar, mark);
        scalar.scalar = value;
        const auto text = text_at(mark);
        scalar.quoted = tag != "?" && (text.empty() || text.front() != '!');
        if (!refuse_properties(mark, tag)) check_one_line(mark, scalar);
        add(std::move(scalar));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value style) override {
        open(YamlNode::Kind::sequence, mark, tag, style);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value style) override {
        open(YamlNode::Kind::map, mark, tag, style);
    }
    void OnMapEnd() override { close(); }

    /// 0-based lines on which a node began.
    [[nodiscard]] const std::set<std::size_t>& lines_read() const { return lines_read_; }

private:
    struct Frame {
        YamlNode node;
        bool in_brackets = false;
        bool expects_key = true;
        std::map<std::string, int> line_of_key;
    };

    [[nodiscard]] std::string_view text_at(const YAML::Mark& mark) const {
        const auto line = lines_.line(static_cast<std::size_t>(std::max(mark.line, 0)));
        return line.substr(std::min(line.size(), static_cast<std::size_t>(std::max(mark.column, 0))));
    }
    [[nodiscard]] TextPlace place(const YAML::Mark& mark) const {
        return lines_.place(static_cast<std::size_t>(std::max(mark.line, 0)),
                            static_cast<std::size_t>(std::max(mark.column, 0)));
    }
    [[nodiscard]] YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) const {
        YamlNode made;
        made.kind = kind;
        made.place = place(mark);
        return made;
    }
    void fault(const YAML::Mark& mark, const std::string& message) {
        document_.faults.push_back({place(mark), message});
    }
    void visit(const YAML::Mark& mark) {
        lines_read_.insert(static_cast<std::size_t>(std::max(mark.line, 0)));
        if (++nodes_ <= kMaxYamlNodes) return;
        fault(mark, "more than " + std::to_string(kMaxYamlNodes) + " values; put long lists into a file");
        throw StopParsing{};
    }

    /// Anchors and tags stand where the node's mark points.
    bool refuse_properties(const YAML::Mark& mark, const std::string& tag) {
        const auto text = text_at(mark);
        const char first = text.empty() ? '\0' : text.front();
        if (first == '&') fault(mark, "anchors (&name) are not accepted: write the value where it is needed");
        if (first == '!' || (!tag.empty() && tag != "?" && tag != "!"))
            fault(mark, "tags (!name) are not accepted: write the value alone");
        return first == '&' || first == '!';
    }

    /// Text that runs over several lines hides typing errors: an open quote swallows the rest of the file.
    void check_one_line(const YAML::Mark& mark, const YamlNode& scalar) {
        const auto text = text_at(mark);
        const char quote = text.empty() ? '\0' : text.front();
        const bool in_quotes = scalar.quoted && (quote == '"' || quote == '\'');
        const std::size_t length = in_quotes ? quoted_length(text) : scalar.scalar.size();
        if (scalar.quoted && !in_quotes)
            fault(mark, "block text (| or >) is not accepted: write it on one line in quotes");
        else if (in_quotes && length == 0)
            fault(mark, "the quote opened here is not closed on this line");
        else if (!in_quotes && !text.starts_with(scalar.scalar))
            fault(mark, !stack_.empty() && stack_.back().in_brackets
                            ? "text runs over several lines here: is a bracket or a comma missing?"
                            : "text runs over several lines here: write it on one line, or check the indentation");
        else
            return check_colon(mark, scalar.scalar, text.substr(length));
        throw StopParsing{};
    }

    /// yaml-cpp takes a word alone for a key without a value.
    void check_colon(const YAML::Mark& mark, const std::string& word, std::string_view after) {
        const bool is_key =
            !stack_.empty() && stack_.back().node.kind == YamlNode::Kind::map && stack_.back().expects_key;
        if (!is_key || trimmed(after).starts_with(':')) return;
        if (!finite_number(word)) return fault(mark, "a ':' is missing after this key");
        fault(mark,
              "a ':' is missing after this key; if it ends a number, its decimal sign must be a point, not a comma");
        throw StopParsing{};
    }

    /// Bytes of the quoted text that begins the line, quotes included; 0 if it does not end on it.
    static std::size_t quoted_length(std::string_view text) {
        const char quote = text.front();
        for (std::size_t i = 1; i < text.size(); ++i) {
            const bool escape = quote == '"' ? text[i] == '\\' : text.substr(i, 2) == "''";
            if (escape)
                ++i;
            else if (text[i] == quote)
                return i + 1;
        }
        return 0;
    }

    void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::EmitterStyle::value style) {
        visit(mark);
        refuse_properties(mark, tag);
        if (stack_.size() >= static_cast<std::size_t>(kMaxYamlDepth)) {
            fault(mark, "nested more than " + std::to_string(kMaxYamlDepth) + " levels deep");
            throw StopParsing{};
        }
        stack_.push_back({node(kind, mark), style == YAML::EmitterStyle::Flow, true, {}});
    }
    void close() {
        YamlNode finished = std::move(stack_.back().node);
        stack_.pop_back();
        add(std::move(finished));
    }
    void add(YamlNode child) {
        if (stack_.empty()) {
            document_.root = std::move(child);
            return;
        }
        Frame& frame = stack_.back();
        if (frame.node.kind == YamlNode::Kind::map && frame.expects_key)
            add_key(frame, child);
        else
            add_item(frame, std::move(child));
        frame.expects_key = frame.node.kind == YamlNode::Kind::map && !frame.expects_key;
    }
    /// yaml-cpp takes text from the next line for a value even where a key should stand.
    void add_item(Frame& frame, YamlNode child) {
        if (frame.node.kind == YamlNode::Kind::map && !frame.in_brackets && child.kind == YamlNode::Kind::scalar) {
            const TextPlace& key = frame.node.keys.back().place;
            if (child.place.line != key.line && child.place.column <= key.column)
                document_.faults.push_back({child.place, "a value must be indented deeper than its key"});
        }
        frame.node.items.push_back(std::move(child));
    }
    void add_key(Frame& frame, const YamlNode& key) {
        if (key.kind != YamlNode::Kind::scalar)
            document_.faults.push_back({key.place, "a key must be a word"});
        else if (key.scalar == "<<")
            document_.faults.push_back({key.place, "merge keys (<<) are not accepted: write the keys themselves"});
        else if (const auto [at, fresh] = frame.line_of_key.emplace(key.scalar, key.place.line); !fresh)
            document_.faults.push_back({key.place, "key '" + printable(key.scalar) +
                                                       "' is given twice; the first is on line " +
                                                       std::to_string(at->second)});
        frame.node.keys.push_back({key.scalar, key.place, 0});
    }

    const Lines& lines_;
    YamlDocument& document_;
    std::vector<Frame> stack_;
    std::set<std::size_t> lines_read_;
    std::size_t nodes_ = 0;
};

/// Notes where a second document begins, if there is one.
class FirstMark final : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark& mark) override { note(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { note(mark); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { note(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override {
        note(mark);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        note(mark);
    }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
        note(mark);
    }
    void OnMapEnd() override {}

private:
    [[noreturn]] static void note(const YAML::Mark& mark) {
        throw YAML::ParserException(mark, "text after the end of the document");
    }
};

/// What looks like a blank and is none: no-break spaces, those of other widths, and those of none.
bool is_odd_blank(char32_t code) {
    return code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200b) || code == 0x202f || code == 0x205f ||
           code == 0x2060 || code == 0x3000 || code == 0xfeff;
}

/// U+00A0, as four hexadecimal digits.
std::string code_text(char32_t code) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::string text = "U+";
    for (int shift = 12; shift >= 0; shift -= 4) text += kDigits[code >> shift & 15];
    return text;
}

/// The byte of the first odd blank of a line that is not in quotes and not in a comment; npos if there is none.
std::size_t find_odd_blank(std::string_view line) {
    char quote = '\0', before = ':';  // what was before the blanks: a quote opens where a key or a value can begin
    for (std::size_t i = 0; i < line.size(); i += std::max<std::size_t>(1, utf8_length(line.substr(i)))) {
        const char c = line[i];
        if (quote != '\0') {
            if (quote == '"' && c == '\\')
                ++i;
            else if (c == quote)
                quote = '\0';
            continue;
        }
        if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return std::string_view::npos;
        if ((c == '"' || c == '\'') && std::string_view(":[{,-").find(before) != std::string_view::npos) quote = c;
        const auto character = line.substr(i, utf8_length(line.substr(i)));
        if (character.size() > 1 && is_odd_blank(code_point(character))) return i;
        if (c != ' ' && c != '\t') before = c;
    }
    return std::string_view::npos;
}

void check_blanks(const Lines& lines, std::size_t index, std::vector<TextFault>& faults) {
    const auto line = lines.line(index);
    const auto at = find_odd_blank(line);
    if (at == std::string_view::npos) return;
    const char32_t code = code_point(line.substr(at, utf8_length(line.substr(at))));
    faults.push_back({lines.place(index, at),
                      (code == 0xa0 || code == 0x202f ? "a no-break space (" : "an unusual space (") + code_text(code) +
                          ") where YAML needs a plain one: type it again, or put text that holds it in quotes"});
}

/// Tabs that indent, directives and document markers, which a line alone gives away: no scalar spans lines.
void check_lines(const Lines& lines, std::vector<TextFault>& faults) {
    bool content_seen = false;
    for (std::size_t i = 0; i < lines.count(); ++i) {
        const auto line = lines.line(i);
        const auto content = trimmed(line);
        if (content.empty() || content.front() == '#') continue;
        check_blanks(lines, i, faults);
        const auto tab = line.find('\t');
        if (tab < line.size() - content.size())
            faults.push_back({lines.place(i, tab), "a tab indents this line: use spaces"});
        if (line.front() == '%') faults.push_back({lines.place(i, 0), "directives (%) are not accepted"});
        if (line.starts_with("---") && content_seen)
            faults.push_back({lines.place(i, 0), "a second document begins here: one file holds one configuration"});
        content_seen = true;
    }
}

/// yaml-cpp drops text in several ways; every line with content must have become part of the tree.
void check_nothing_dropped(const Lines& lines, const std::set<std::size_t>& read, std::vector<TextFault>& faults) {
    for (std::size_t i = 0; i < lines.count(); ++i) {
        const auto content = trimmed(lines.line(i));
        if (content.empty() || content.front() == '#' || read.count(i) != 0) continue;
        const auto first = content.find_first_not_of("[]{},:?- \t");
        if (first == std::string_view::npos || content[first] == '#' || content.starts_with("...")) continue;
        faults.push_back({lines.place(i, lines.line(i).size() - content.size()),
                          "this line would be ignored: check its indentation and the lines above"});
        return;
    }
}

/// yaml-cpp's messages speak of its grammar; where they puzzle, say what to look at.
std::string explain(const std::string& message) {
    static const std::map<std::string, std::string> words{
        {YAML::ErrorMsg::END_OF_MAP, "this does not fit what is above: check the indentation, and text after a quote"},
        {YAML::ErrorMsg::END_OF_SEQ, "this does not fit the list above: check the indentation"},
        {YAML::ErrorMsg::END_OF_MAP_FLOW, "a '}' is missing"},
        {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a ']' is missing"},
        {YAML::ErrorMsg::FLOW_END, "a closing bracket without an opening one"},
        {YAML::ErrorMsg::MAP_VALUE,
         "a ':' is out of place: check the indentation, and put text that holds ': ' in quotes"},
        {YAML::ErrorMsg::BLOCK_ENTRY, "a '-' is out of place: list items stand on lines of their own"},
        {YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is not closed"},
        {YAML::ErrorMsg::UNKNOWN_TOKEN, "text cannot begin with this character: put it in quotes"}};
    const auto found = words.find(message);
    return "not valid YAML: " + (found == words.end() ? printable(message) : found->second);
}

/// A key without its ':' takes the next line for more of its text, where yaml-cpp then finds a ':' out of place. The
/// error of the line above `index` if that has no ':' at all; else nothing.
std::optional<TextFault> missing_colon(const Lines& lines, std::size_t index) {
    while (index > 0) {
        const auto line = lines.line(--index);
        const auto content = trimmed(line);
        if (content.empty() || content.front() == '#') continue;
        const bool may_be_key = std::string_view("-[{\"'").find(content.front()) == std::string_view::npos;
        if (!may_be_key || content.find(':') != std::string_view::npos) return std::nullopt;
        return TextFault{lines.place(index, line.size() - content.size()),
                         "a ':' is missing after the key of this line"};
    }
    return std::nullopt;
}

void parse(std::string_view text, const Lines& lines, YamlDocument& document) {
    std::istringstream stream{std::string(text)};
    TreeBuilder builder(lines, document);
    const auto place = [&](const YAML::Mark& mark) {
        return mark.is_null() ? TextPlace{1, 1}
                              : lines.place(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
    };
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        try {
            FirstMark rest;
            if (parser.HandleNextDocument(rest)) throw YAML::ParserException(YAML::Mark::null_mark(), "");
        } catch (const YAML::Exception& fault) {
            document.faults.push_back(
                {place(fault.mark), "the text from here on would be ignored: check its indentation"});
            return;
        }
        const auto faults_before = document.faults.size();
        check_nothing_dropped(lines, builder.lines_read(), document.faults);
        document.complete = document.faults.size() == faults_before;
    } catch (const StopParsing&) {
        // The error is recorded.
    } catch (const YAML::Exception& fault) {
        const bool misplaced_colon = fault.msg == YAML::ErrorMsg::MAP_VALUE && !fault.mark.is_null();
        const auto colon =
            misplaced_colon ? missing_colon(lines, static_cast<std::size_t>(fault.mark.line)) : std::nullopt;
        document.faults.push_back(colon ? *colon : TextFault{place(fault.mark), explain(fault.msg)});
    }
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i].name == key) return &items[i];
    return nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
    return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

YamlDocument read_strict_yaml(std::string_view text) {
    YamlDocument document;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the byte-order mark some editors write
    if (const auto fault = check_characters(text)) {
        document.faults.push_back(*fault);
        return document;
    }
    const Lines lines(text);
    check_lines(lines, document.faults);
    if (document.faults.empty()) parse(text, lines, document);
    return document;
}

}  // namespace onda
