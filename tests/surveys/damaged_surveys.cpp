// A survey whose files were damaged, or whose process was killed at whatever moment, ends with the results of one run
// from beginning to end: what is damaged is named and computed again, and nothing of the survey is left over.
// Takes 25 s.
#include <algorithm>
#include <sys/file.h>
#include <sys/stat.h>

#include "io/results/snapshots.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/shot_check.hpp"
#include "tests/sanitized.hpp"
#include "tests/surveys/survey_place.hpp"

using namespace onda;

namespace {

std::string all_formats() {
    std::string text = kSurvey;
    const std::string pictures = "pictures: false,";
    text.replace(text.find(pictures), pictures.size(), "pictures: false, seismograms: {segy: ieee, su: true},");
    return text;
}

std::string small_survey(int shots) {
    std::string text = all_formats();
    const std::string count = "count: 101";
    return text.replace(text.find(count), count.size(), "count: " + std::to_string(shots));
}

std::string name_of(int shot, const std::string& format) {
    char name[64];
    std::snprintf(name, sizeof name, "%05d.%s", shot, format.c_str());
    return name;
}

/// Flips one bit. \param where from 0, the first byte, to 1, the last.
void flip_bit(const std::filesystem::path& file, double where) {
    std::string text = text_of(file);
    REQUIRE(!text.empty());
    text[static_cast<std::size_t>(where * static_cast<double>(text.size() - 1))] ^= 0x10;
    write_text(file, text);
}

void swap_files(const std::filesystem::path& a, const std::filesystem::path& b) {
    const std::string of_a = text_of(a);
    write_text(a, text_of(b));
    write_text(b, of_a);
}

void check_named(const Outcome& outcome, const std::string& file, int shot) {
    CAPTURE(outcome.err);
    CAPTURE(file);
    CHECK(contains(outcome.err, "warning: " + file + " is "));
    CHECK(contains(outcome.err, ": shot " + std::to_string(shot) + " is to be computed again\n"));
}

/// All gathers and snapshots of a survey.
std::vector<std::vector<float>> values_in(const std::filesystem::path& out, int shots) {
    std::vector<std::vector<float>> values;
    for (int shot = 1; shot <= shots; ++shot) {
        values.push_back(read_gather(out / "seismograms.h5", shot).pressure);
        values.push_back(read_frames(out / "snapshots.h5", shot).values);
    }
    return values;
}

/// What each shot has a file of its own of. SEG-Y and SU are written from those when the survey ends.
const std::vector<std::string> kFormats{"seismograms.h5", "snapshots.h5"};

/// The files of all shots that no HDF5 library has to read.
Contents traces_in(const std::filesystem::path& out) {
    Contents contents;
    for (const std::string name : {"seismograms.segy", "seismograms.su"}) {
        contents[name] = text_of(out / name);
        CHECK(!contents[name].empty());
    }
    return contents;
}

/// A survey that keeps the files of its shots, from beginning to end; not to be changed.
const SurveyPlace& whole_survey() {
    static const SurveyPlace place(all_formats());
    static const int code = place.run().code;
    REQUIRE(code == 0);
    return place;
}

/// A survey of which the last shot is not computed yet.
const SurveyPlace& begun_survey() {
    static const SurveyPlace place(all_formats());
    static const int code = place.run({"--shots", "1-100"}).code;
    REQUIRE(code == 0);
    return place;
}

/// A copy of one of these, to be damaged.
struct CopiedPlace : SurveyPlace {
    explicit CopiedPlace(const SurveyPlace& other) : SurveyPlace(all_formats()) {
        std::filesystem::copy(other.out(), out(), std::filesystem::copy_options::recursive);
    }
};

}  // namespace

TEST_CASE("shots of which any file is damaged in any way are computed again when a survey is resumed") {
    if (test::kSanitized) return;  // 101 shots, of whose code the few of the next case run as much
    const SurveyPlace& whole = whole_survey();
    const CopiedPlace place(begun_survey());
    std::map<int, std::string> damaged;
    int shot = 0;
    for (const std::string& format : kFormats) {
        const auto file = [&] {
            ++shot;
            damaged[shot] = name_of(shot, format);
            return place.unfinished() / damaged[shot];
        };
        for (const double where : {0., 0.02, 0.5, 1.}) flip_bit(file(), where);
        const auto cut = file();
        std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
        write_text(file(), "");
        std::filesystem::remove(file());
    }
    const int first = ++shot, second = ++shot;
    for (const int each : {first, second}) damaged[each] = name_of(each, "seismograms.h5");
    swap_files(place.unfinished() / damaged[first], place.unfinished() / damaged[second]);
    REQUIRE(shot == 16);
    const Outcome last = place.run();
    for (const auto& [each, file] : damaged) check_named(last, file, each);
    CHECK(contains(last.err, "resuming  84 of 101 shots are finished; 17 are missing"));
    place.check_complete(shots_in(whole.out()));
    CHECK(traces_in(place.out()) == traces_in(whole.out()));
}

TEST_CASE("a shot of a few that is damaged is computed again, too") {
    constexpr int shots = 4;
    const SurveyPlace whole(small_survey(shots));
    REQUIRE(whole.run().code == 0);
    const auto expected = values_in(whole.out(), shots);
    for (const std::string format : {"seismograms.h5", "snapshots.h5"}) {
        const SurveyPlace place(small_survey(shots));
        REQUIRE(place.run({"--shots", "1-3"}).code == 0);
        flip_bit(place.unfinished() / name_of(2, format), 0.7);
        swap_files(place.unfinished() / name_of(1, format), place.unfinished() / name_of(3, format));
        const Outcome last = place.run();
        for (int shot = 1; shot <= 3; ++shot) check_named(last, name_of(shot, format), shot);
        place.check_complete(shots);
        CHECK(values_in(place.out(), shots) == expected);
    }
}

TEST_CASE("whoever ends a survey looks at the shots of others, and leaves to them what it is not asked for") {
    const CopiedPlace place(begun_survey());
    // As if another process had a part in the survey: this one does not read what it resumes.
    const int folder = open(place.out().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(flock(folder, LOCK_SH) == 0);
    flip_bit(place.unfinished() / name_of(2, "seismograms.h5"), 0.5);
    const Outcome others = place.run({"--shots", "101"});
    check_named(others, name_of(2, "seismograms.h5"), 2);
    CHECK(others.code == 0);
    CHECK(contains(others.err, "100 of 101 shots are done"));
    CHECK(place.finished() == 100);
    REQUIRE(place.run({"--shots", "2"}).code == 0);
    close(folder);
    place.check_complete(shots_in(whole_survey().out()));
}

TEST_CASE("what is no plain file in the place of a shot's is left alone and named") {
    const CopiedPlace place(begun_survey());
    const auto file = place.unfinished() / name_of(2, "seismograms.h5");
    const std::vector<std::function<void()>> makers{
        [&] { std::filesystem::create_directory(file); },
        [&] { REQUIRE(mkfifo(file.c_str(), 0600) == 0); },
        [&] { std::filesystem::create_symlink("00001.seismograms.h5", file); },
    };
    for (const auto& make : makers) {
        std::filesystem::remove(file);
        make();
        const Outcome refused = run_onda(place.command({"--shots", "101"}), "true", "timeout 60");
        CAPTURE(refused.err);
        CHECK(refused.code == 73);
        CHECK(contains(refused.err, "00002.seismograms.h5: is not part of an unfinished survey"));
    }
    std::filesystem::remove(file);
    check_named(place.run({"--shots", "2-101"}), name_of(2, "seismograms.h5"), 2);
    place.check_complete(shots_in(whole_survey().out()));
}

TEST_CASE("a table in which a line was copied over another is refused with its place") {
    const CopiedPlace place(begun_survey());
    const auto table = place.unfinished() / "shots.csv";
    const std::string whole = text_of(table);
    const std::size_t line = whole.size() / (kShots + 1);
    std::string text = whole;
    text.replace(2 * line, line, whole.substr(4 * line, line));
    write_text(table, text);
    const auto check_refused = [&](const std::string& why) {
        const Outcome refused = place.run({"--shots", "101"});
        CAPTURE(refused.err);
        CHECK(refused.code == 65);
        CHECK(contains(refused.err, "unfinished/shots.csv: " + why));
    };
    check_refused("line 3, column 1: shot 4 in the place of shot 2");
    write_text(table, whole + whole.substr(4 * line, line));
    check_refused("it has lines for 102 shots, but the survey has 101");
    write_text(table, whole.substr(0, whole.size() - line));
    check_refused("it has lines for 100 shots, but the survey has 101");
    write_text(table, whole);
    CHECK(place.run().code == 0);
    place.check_complete(shots_in(whole_survey().out()));
}

namespace {

const std::string kPreload = "env LD_PRELOAD=" + quoted(ONDA_ODD_SYSTEM);
/// One thread: calls that change a folder come in the same order each time.
const std::vector<std::string> kOneThread{"--threads", "1"};

/// How many calls that change a folder a run makes, after what `before` has left.
long count_calls(const std::string& config, const std::filesystem::path& before) {
    const SurveyPlace place(config);
    if (!before.empty()) std::filesystem::copy(before, place.out(), std::filesystem::copy_options::recursive);
    const std::string counting = kPreload + " ONDA_KILL_COUNT=" + quoted(place.out("count"));
    REQUIRE(place.run(kOneThread, "out", counting).code == 0);
    return std::stol(text_of(place.out("count")));
}

/// Kills a run at one of its calls that change a folder, and lets the same command end it.
void check_killed(const std::string& config, int shots, const std::filesystem::path& before, long at, bool replaced) {
    CAPTURE(at);
    const SurveyPlace place(config);
    if (!before.empty()) std::filesystem::copy(before, place.out(), std::filesystem::copy_options::recursive);
    CHECK(place.run(kOneThread, "out", kPreload + " ONDA_KILL_AT=" + std::to_string(at)).code == 128 + SIGKILL);
    const Outcome next = place.run();
    CAPTURE(next.err);
    place.check_complete(shots);
    CHECK(partial_files(place.out()).empty());
    if (std::filesystem::exists(place.out() / "shots"))
        CHECK(std::distance(std::filesystem::directory_iterator(place.out() / "shots"), {}) ==
              std::ssize(kFormats) * shots + 1);
    CHECK(contains(place.run().err, "nothing is left to do"));
    if (replaced) CHECK(place.run({"--force", "--set", "time.duration_s=0.1"}).code == 0);
}

}  // namespace

TEST_CASE("a run that is killed at any change of a folder is completed by the next one, and nothing is left over") {
    if (test::kSanitized) return;  // their library has to come first
    const std::string config = small_survey(2);
    const long count = count_calls(config, "");
    REQUIRE(count > 20);
    for (long at = 1; at <= count; ++at) check_killed(config, 2, "", at, at % 5 == 0);
}

TEST_CASE("so is one that ends a survey which keeps the files of its shots") {
    if (test::kSanitized) return;
    const std::string config = all_formats();
    const SurveyPlace& begun = begun_survey();
    const long count = count_calls(config, begun.out());
    // Of the calls that a survey makes which keeps no shots, all were tried. This one then gives the folder of the
    // shots its name, and removes what is not kept there: files of a report one by one, and the mark of the survey
    // last.
    const auto is_of_report = [](const auto& entry) { return contains(entry.path().filename(), "report"); };
    const long removed = std::count_if(std::filesystem::directory_iterator(begun.unfinished()), {}, is_of_report);
    REQUIRE(removed > 3);
    REQUIRE(count > removed + 10);
    const long named = count - removed - 1;
    for (const long at : {named - 1, named, named + 1, named + 1 + removed / 2, count})
        check_killed(config, 101, begun.out(), at, false);
}

TEST_CASE("a report or an export that is killed at any change of a folder leaves results that are proven") {
    if (test::kSanitized) return;
    const std::vector<std::string> without{"--set", "output.report=false", "--set", "output.seismograms.segy=none"};
    for (const auto& more : {std::vector<std::string>{}, without}) {
        const SurveyPlace place(small_survey(2));
        REQUIRE(run_onda(place.command(more, "done")).code == 0);
        const auto begin = [&] {
            std::filesystem::remove_all(place.out());
            std::filesystem::copy(place.out("done"), place.out(), std::filesystem::copy_options::recursive);
        };
        const std::vector<std::string> report{"report", place.out(), "--force"};
        // Other bytes than the run has left under this name.
        const std::vector<std::string> segy{"export", place.out(), "--segy", "--samples", "ibm", "--force"};
        for (const bool of_report : {true, false}) {
            const auto& command = of_report ? report : segy;
            begin();
            const auto count_file = place.out("count");
            REQUIRE(run_onda(command, "true", kPreload + " ONDA_KILL_COUNT=" + quoted(count_file)).code == 0);
            const long count = std::stol(text_of(count_file));
            REQUIRE(count >= 2);  // of the file and of the summary
            for (long at = 1; at <= count; ++at) {
                CAPTURE(command.front());
                CAPTURE(more.empty());
                CAPTURE(at);
                begin();
                CHECK(run_onda(command, "true", kPreload + " ONDA_KILL_AT=" + std::to_string(at)).code ==
                      128 + SIGKILL);
                const Outcome same = run_onda(place.command(more));
                CAPTURE(same.err);
                CHECK(same.code == 0);
                CHECK(contains(same.err, "nothing is left to do"));
                // Another file is listed after it, which must not take its place.
                if (at % 2 == 1) CHECK(run_onda(of_report ? segy : report).code == 0);
                const Outcome other = run_onda(place.command({"--force", "--set", "time.duration_s=0.1"}));
                CAPTURE(other.err);
                CHECK(other.code == 0);
                CHECK(partial_files(place.out()).empty());
            }
        }
    }
}

TEST_CASE("a report and exports that are made at the same time are all proven") {
    const SurveyPlace place(small_survey(2));
    REQUIRE(place.run({"--set", "output.report=false"}).code == 0);
    const std::map<std::string, std::vector<std::string>> commands{
        {"report.html", {"report", place.out(), "--force"}},
        {"seismograms.segy", {"export", place.out(), "--segy", "--samples", "ibm", "--force"}},
        {"seismograms.su", {"export", place.out(), "--su", "--force"}}};
    for (int round = 0; round < (test::kSanitized ? 3 : 12); ++round) {
        CAPTURE(round);
        std::vector<std::unique_ptr<Process>> processes;
        for (const auto& [name, command] : commands) {
            std::filesystem::remove(place.out() / name);
            processes.push_back(std::make_unique<Process>(command));
        }
        for (const auto& process : processes) CHECK(process->wait() == 0);
        for (const auto& each : commands) {
            CAPTURE(each.first);
            CHECK(EarlierRun(place.out()).proves(each.first));
        }
    }
    CHECK(place.run({"--force", "--set", "time.duration_s=0.1"}).code == 0);
}

TEST_CASE("the rest of a survey that a killed process was removing goes with the next run of the same") {
    const SurveyPlace place(small_survey(4));
    REQUIRE(place.run({"--shots", "1-3"}).code == 0);
    const auto saved = place.out("saved");
    std::filesystem::copy(place.unfinished(), saved);
    REQUIRE(place.run().code == 0);
    const std::string summary = text_of(place.out() / "summary.json");
    std::filesystem::remove(saved / "survey.json");
    for (const std::string gone : {"", "shots.csv", "00002.seismograms.h5"}) {
        if (!gone.empty()) std::filesystem::remove(saved / gone);
        std::filesystem::copy(saved, place.unfinished());
        CHECK(contains(place.run().err, "nothing is left to do"));
        place.check_complete(4);
        CHECK(text_of(place.out() / "summary.json") == summary);
    }
    // While another process works there, it may be the one that removes them.
    std::filesystem::copy(saved, place.unfinished());
    const int folder = open(place.out().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(flock(folder, LOCK_SH) == 0);
    CHECK(contains(place.run().err, "nothing is left to do"));
    CHECK(std::filesystem::exists(place.unfinished()));
    close(folder);
    CHECK(contains(place.run().err, "nothing is left to do"));
    place.check_complete(4);
}

namespace {

/// The check of a survey's shots, as a process makes it that ends the survey.
struct CheckOfShots {
    explicit CheckOfShots(const std::filesystem::path& unfinished)
        : table(unfinished / "shots.csv"), files(outputs, unfinished, {}), log([](Log::Level, const std::string&) {}) {}
    RunOutputs outputs{std::vector<RunOutputs::Entry>{}};
    ShotTable table;
    ShotFiles files;
    Log log;
    ShotCheck check{table, files, log};
};

/// Locks the line of shot 2, as another process does for a moment that looks whether the shot is finished.
class LockedLine {
public:
    LockedLine(const std::filesystem::path& table, std::size_t lines)
        : table_(open(table.c_str(), O_RDWR | O_CLOEXEC)) {
        const auto line = static_cast<off_t>(std::filesystem::file_size(table) / lines);
        struct flock range {};
        range.l_type = F_WRLCK;
        range.l_whence = SEEK_SET;
        range.l_start = 2 * line;
        range.l_len = line;
        REQUIRE(fcntl(table_, F_OFD_SETLK, &range) == 0);
    }
    LockedLine(const LockedLine&) = delete;
    LockedLine& operator=(const LockedLine&) = delete;
    ~LockedLine() { close(table_); }

private:
    int table_;
};

}  // namespace

TEST_CASE("a survey is not over while a damaged shot is in the hands of another process") {
    const SurveyPlace place(small_survey(3));
    REQUIRE(place.run({"--shots", "1-2"}).code == 0);
    const auto table = place.unfinished() / "shots.csv";
    flip_bit(place.unfinished() / name_of(2, "seismograms.h5"), 0.5);
    CheckOfShots shots(place.unfinished());
    {
        const LockedLine other(table, 4);
        CHECK(shots.check.forget_damaged(false) == 1);
        CHECK(place.finished() == 2);
    }
    CHECK(shots.check.forget_damaged(false) == 1);
    CHECK(place.finished() == 1);
    CHECK(shots.check.forget_damaged(false) == 0);
    CHECK(place.run().code == 0);
    place.check_complete(3);
}

TEST_CASE("a shot that another process has repaired since it was looked at stays finished") {
    const SurveyPlace place(small_survey(3));
    REQUIRE(place.run({"--shots", "1-2"}).code == 0);
    const auto file = place.unfinished() / name_of(2, "seismograms.h5");
    CheckOfShots shots(place.unfinished());
    const ShotRecord record = *shots.table.finished(1);
    const auto is_damaged = [&] { return shots.files.fault_of(record, LookAt::contents).has_value(); };
    flip_bit(file, 0.5);
    REQUIRE(is_damaged());
    {
        CheckOfShots another(place.unfinished());
        REQUIRE(another.check.forget_damaged(false) == 1);
    }
    CHECK(shots.table.forget(1, record, is_damaged));  // forgotten already: the survey is not over
    REQUIRE(place.run({"--shots", "2"}).code == 0);
    REQUIRE(shots.table.finished(1) == record);
    CHECK(!shots.table.forget(1, record, is_damaged));
    CHECK(place.finished() == 2);
    flip_bit(file, 0.5);
    CHECK_THROWS_AS(static_cast<void>(shots.table.forget(
                        1, record, []() -> bool { throw Error(ExitCode::io_error, "cannot read it"); })),
                    Error);
    CHECK(place.finished() == 2);
    const ShotTable another(place.unfinished() / "shots.csv");
    CHECK(shots.table.forget(1, record, is_damaged));  // the line was given up in spite of the error
    CHECK(!another.is_finished(1));
}

TEST_CASE("complete results of which files of shots are gone or cut are refused, and told how to compute them again") {
    const CopiedPlace place(whole_survey());
    const Contents expected = shots_in(place.out());
    const auto shots = place.out() / "shots";
    std::filesystem::remove(shots / name_of(2, "seismograms.h5"));
    std::filesystem::resize_file(shots / name_of(7, "snapshots.h5"), 100);
    std::filesystem::remove(shots / name_of(8, "snapshots.h5"));
    const auto check_refused = [&](const std::vector<std::string>& told) {
        const Outcome refused = place.run({"--threads", "1"});
        CAPTURE(refused.err);
        CHECK(refused.code == 65);
        CHECK(!contains(refused.err, "nothing is left to do"));
        for (const std::string& each : told) CHECK(contains(refused.err, each));
    };
    check_refused({"shots/00002.seismograms.h5 is no longer there", "--shots 2,7-8 and another folder", "--force"});
    REQUIRE(place.run({"--shots", "2,7-8"}, "again").code == 0);
    const auto copy_again = [&](int shot) {
        for (const auto& entry : std::filesystem::directory_iterator(place.out("again") / "unfinished"))
            if (entry.path().filename().string().starts_with(name_of(shot, "")))
                std::filesystem::copy_file(entry.path(), shots / entry.path().filename(),
                                           std::filesystem::copy_options::overwrite_existing);
    };
    copy_again(2);
    check_refused({"shots/00007.snapshots.h5 is damaged: it has 100 bytes", "--shots 7-8 and another folder"});
    for (const int shot : {7, 8}) copy_again(shot);
    CHECK(contains(place.run().err, "nothing is left to do"));
    CHECK(shots_in(place.out()) == expected);
    std::filesystem::remove(shots / name_of(101, "seismograms.h5"));
    CHECK(place.run({"--force", "--set", "sources[0].count=3"}).code == 0);
    place.check_complete(3);
}

TEST_CASE("a survey is not called complete while the folder of its shots is not in its place") {
    const CopiedPlace place(begun_survey());
    const std::string survey = text_of(place.unfinished() / "survey.json");
    REQUIRE(place.run().code == 0);
    const Contents expected = shots_in(place.out());
    // As if its process had been killed before the last rename, and something else had taken the place since.
    std::filesystem::rename(place.out() / "shots", place.unfinished());
    write_text(place.unfinished() / "survey.json", survey);
    std::filesystem::create_directories(place.out() / "shots" / "of_others");
    const Outcome refused = place.run({"--threads", "1"});
    CAPTURE(refused.err);
    CHECK(refused.code == 73);
    CHECK(contains(refused.err, "shots: cannot give the folder its name"));
    CHECK(!contains(refused.err, "nothing is left to do"));
    std::filesystem::remove_all(place.out() / "shots");
    CHECK(contains(place.run().err, "nothing is left to do"));
    CHECK(shots_in(place.out()) == expected);
    place.check_complete(101);
}

TEST_CASE("a process that cannot put the shots of its survey in their place says so") {
    const SurveyPlace place(small_survey(101));
    REQUIRE(place.run({"--shots", "1"}).code == 0);
    const int log = open(place.out("err").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
    Process last(place.command(), log);
    REQUIRE(wait_until([&] { return contains(text_of(place.out("err")), "resuming "); }));
    std::filesystem::create_directories(place.out() / "shots" / "of_others");
    last.wait();
    close(log);
    const std::string told = text_of(place.out("err"));
    CAPTURE(told);
    CHECK(last.code() == 73);
    CHECK(contains(told, "shots: cannot give the folder its name"));
    CHECK(!contains(told, "another process"));
    std::filesystem::remove_all(place.out() / "shots");
    CHECK(contains(place.run().err, "nothing is left to do"));
    place.check_complete(101);
}
