// The thesis' tables and its model are made by commands, from its times or others, without a GPU.
// Takes 2 s.
#include <nlohmann/json.hpp>

#include "tests/program/program.hpp"

using Json = nlohmann::json;

namespace {

const std::string kPng = "\x89PNG\r\n\x1a\n";

}  // namespace

TEST_CASE("the model's worked case, as text, JSON and CSV") {
    const TemporaryFolder folder;
    const std::string csv = (folder.path() / "model.csv").string();
    const Outcome text = run_onda({"predict", "--model", "tang", "--device", "k40", "--csv", csv});
    CAPTURE(text.err);
    REQUIRE(text.code == 0);
    for (const char* value : {"4096", "0.6438", "1.4174", "32.979", "4.122", "0.1446", "ActBlks", "blocks"})
        CHECK(contains(text.out, value));
    CHECK(contains(text_of(csv), "tx,tz,K_R,K_S_B,BytesBlk_B,WarpBlk,Ops,Blks,ActBlks,Stages,RemBlks,T_m_us"));
    CHECK(run_onda({"predict", "--device", "k40", "--csv", csv}).code == 73);
    const Outcome json = run_onda({"predict", "--device", "k40", "--tile", "8x8", "4x32", "64x32", "--json"});
    REQUIRE(json.code == 0);
    const Json told = Json::parse(json.out);
    CHECK(told["device"] == "NVIDIA Tesla K40");
    CHECK(told["tiles"][0]["Stages"] == 18.);
    CHECK(told["tiles"][0]["bound_of_ActBlks"] == "blocks");
    CHECK(told["tiles"][1]["ActBlks"] == 9.);
    CHECK(contains(told["tiles"][2]["problem"].get<std::string>(), "2048 threads"));
}

TEST_CASE("the thesis' finding: its model is off by 49 to 99 percent") {
    const Outcome text = run_onda({"predict", "--model", "tang", "--measured", "k40"});
    CAPTURE(text.err);
    REQUIRE(text.code == 0);
    CHECK(contains(text.out, "the model is off by 49.0 to 99.1 % of what was measured"));
    CHECK(contains(text.out, "within 0.38 % of the thesis' own values"));
    for (const char* value : {"0.6436", "32.976"}) CHECK(contains(text.out, value));
    const Json told = Json::parse(run_onda({"predict", "--measured", "k40", "--json"}).out);
    REQUIRE(told["tiles"].size() == 7);
    for (const Json& tile : told["tiles"])
        CHECK(std::abs(tile["T_total_s"].get<double>() / tile["thesis"]["model_s"].get<double>() - 1.) < 0.005);
}

TEST_CASE("devices are listed, and what there is not is refused by name") {
    const Outcome list = run_onda({"predict", "--list"});
    CHECK(list.code == 0);
    for (const char* name : {"k40", "h100", "NVIDIA H200", "288.384"}) CHECK(contains(list.out, name));
    CHECK(contains(run_onda({"predict", "--device", "k4o"}).err, "did you mean 'k40'?"));
    CHECK(contains(run_onda({"predict"}).err, "--device is needed"));
    CHECK(contains(run_onda({"predict", "--device", "k40", "--tile", "8"}).err, "--tile '8': give threads along"));
    CHECK(contains(run_onda({"predict", "--device", "k40", "--grid", "8x8"}).err, "--grid '8x8': give the nodes"));
    CHECK(run_onda({"predict", "--device", "k40", "--order", "7"}).code == 64);
    CHECK(run_onda({"predict", "--model", "oracle"}).code == 64);
    CHECK(run_onda({"predict", "--device", "k40", "--tile", "64x64"}).code == 64);
    CHECK(
        contains(run_onda({"predict", "--measured", "k40", "--grid", "64x64x64"}).err, "leave --grid and --order out"));
    CHECK(run_onda({"predict", "--device", "none.yaml"}).code == 66);
}

TEST_CASE("tables 4 to 9 from times that were measured elsewhere: text, CSV and heat map") {
    const TemporaryFolder folder;
    const std::string csv = (folder.path() / "k40.csv").string(), png = (folder.path() / "k40.png").string();
    const Outcome k40 = run_onda({"bench", "thesis", "--from", "k40", "--csv", csv, "--plot", png});
    CAPTURE(k40.err);
    REQUIRE(k40.code == 0);
    CHECK(contains(k40.out, "tz = 8: table 7 of the thesis"));
    CHECK(contains(k40.out, "classic 126.1 ms (8x8"));
    CHECK(text_of(png).starts_with(kPng));
    CHECK(contains(text_of(csv), "\n8,8,0.2836,0.1454,0.1428,0.1261\n"));
    // On another device the times of the thesis stand beside the measured ones, and the picture has two rows.
    std::string other = text_of(csv);
    other.replace(other.find("Tesla K40"), 9, "H200");
    write_text(folder.path() / "h200.csv", other);
    const std::string pdf = (folder.path() / "both.pdf").string(), both = (folder.path() / "both.png").string();
    const auto from_other = [&](const std::string& plot) {
        return run_onda({"bench", "thesis", "--from", (folder.path() / "h200.csv").string(), "--plot", plot});
    };
    const Outcome compared = from_other(pdf);
    CHECK(compared.code == 0);
    CHECK(contains(compared.out, "NVIDIA H200: classic 126.1 ms"));
    CHECK(contains(compared.out, "NVIDIA Tesla K40: classic 126.1 ms"));
    CHECK(text_of(pdf).starts_with("%PDF"));
    CHECK(from_other(both).code == 0);
    CHECK(text_of(both).size() > text_of(png).size());
    CHECK(from_other(both).code == 73);
    const Outcome one = run_onda({"bench", "thesis", "--from", "k40", "--tz", "8"});
    CHECK(contains(one.out, "table 7"));
    CHECK(!contains(one.out, "table 6"));
}

TEST_CASE("times that make no rate are refused") {
    const TemporaryFolder folder;
    const std::string csv = (folder.path() / "k40.csv").string();
    REQUIRE(run_onda({"bench", "thesis", "--from", "k40", "--csv", csv}).code == 0);
    const std::string good = text_of(csv);
    for (const char* time : {"0", "-1", "nan", "inf", "5e-324", "1e-300", "1e300", "1e400"}) {
        std::string bad = good;
        bad.replace(bad.find("8,8,0.2836"), 10, std::string("8,8,") + time);
        write_text(csv, bad);
        const Outcome outcome = run_onda({"bench", "thesis", "--from", csv});
        CAPTURE(outcome.out);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 65);
        CHECK(contains(outcome.err, std::string("full_s = '") + time + "': must be "));
        bad = good;
        bad.insert(bad.find("tx,tz"), std::string("# kernel: inplane-full,8x8,,") + time + "\n");
        write_text(csv, bad);
        CHECK(run_onda({"bench", "thesis", "--from", csv}).code == 65);
    }
}

TEST_CASE("table 12 of another device: its own times beside the model of it") {
    const TemporaryFolder folder;
    const std::string csv = (folder.path() / "mine.csv").string();
    write_text(csv, "# device: NVIDIA H200\ntx,tz,full_s\n8,8,0.004\n4,32,0.002\n");
    const Outcome known = run_onda({"predict", "--measured", csv});
    CAPTURE(known.err);
    CHECK(known.code == 0);
    CHECK(contains(known.out, "NVIDIA H200"));
    CHECK(contains(known.out, "the model is off by"));
    write_text(csv, "# device: Other\ntx,tz,full_s\n8,8,0.004\n");
    CHECK(contains(run_onda({"predict", "--measured", csv}).err, "no description comes with Onda for 'Other'"));
    CHECK(run_onda({"predict", "--measured", csv, "--device", "a100"}).code == 0);
}

TEST_CASE("without a GPU the measurement is refused, and says what does not need one") {
    if (!contains(run_onda({"info"}).out, "NVIDIA")) {
        const Outcome refused = run_onda({"bench", "thesis"});
        CHECK(refused.code == 69);
        CHECK(contains(refused.err, "--from k40"));
    }
    CHECK(run_onda({"bench", "thesis", "--tx", "7"}).code == 64);
    CHECK(run_onda({"bench", "thesis", "--from", "k40", "--order", "4"}).code == 64);
    CHECK(run_onda({"bench", "thesis", "--from", "none.csv"}).code == 66);
}
