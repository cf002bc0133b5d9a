#include "solver/outputs/iterations/inversion_page.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <string_view>

#include "io/files/library_crash.hpp"
#include "io/pictures/drawing.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::string_view kPageStyle = R"css(
:root {
  --page: #f5f6f8; --card: #ffffff; --text: #1b2330; --soft: #566072; --line: #d8dde5; --accent: #0b63a5;
  --grid: #e3e7ed; --curve-1: #0b63a5; --curve-2: #c2410c; --curve-3: #5b7f00; --curve-4: #8a2be2;
  color-scheme: light;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11151b; --card: #1a2029; --text: #e6eaf0; --soft: #a3adbb; --line: #333c49; --accent: #6db7f2;
    --grid: #38424f; --curve-1: #6db7f2; --curve-2: #ff9c66; --curve-3: #b5d65a; --curve-4: #c9a0ff;
    color-scheme: dark;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
header, main { max-width: 900px; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.25rem; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 .75rem; font-size: 1.25rem; }
.kind { margin: 0; color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; }
.lead { margin: .25rem 0 .75rem; color: var(--soft); overflow-wrap: anywhere; }
section { margin: 1.25rem 0; padding: 1.1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; }
.controls { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .9rem;
  padding: .5rem 0; background: var(--card); }
.controls input { flex: 1 1 12rem; min-width: 8rem; min-height: 2rem; accent-color: var(--accent); }
.controls output { min-width: 11rem; font-variant-numeric: tabular-nums; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .5rem; margin: .5rem 0 1rem; }
.tiles div { padding: .4rem .65rem; border: 1px solid var(--line); border-radius: .5rem; }
.tiles dt { color: var(--soft); font-size: .8rem; }
.tiles dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
figure { margin: 0; }
figure img { display: block; width: 100%; height: auto; border-radius: .3rem; }
figcaption { color: var(--soft); font-size: .92rem; }
.live .frame:not(.shown), .live figcaption { display: none; }
#curve svg { display: block; width: 100%; cursor: pointer; touch-action: pan-y; }
#curve text, .wells text { fill: var(--soft); font-size: 12px; }
.wide img { min-width: 53rem; }
.wells { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; }
.wells h3 { margin: 0; font-size: .95rem; font-weight: 600; overflow-wrap: anywhere; }
.wells svg { display: block; width: 100%; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .75rem; padding: 0; list-style: none; color: var(--soft); font-size: .92rem; }
.legend i { display: inline-block; width: 1.7rem; margin-right: .5rem; vertical-align: middle; border-top: 2px solid; }
.legend .start { border-color: var(--soft); }
.legend .truth { border-color: var(--text); }
.legend .log { border-color: var(--text); border-top-style: dashed; }
.legend .model { border-color: var(--accent); border-top-width: 3px; }
table { border-collapse: collapse; font-size: .92rem; }
td, th { padding: .25rem .75rem .25rem 0; text-align: right; white-space: nowrap; font-weight: 400; font-variant-numeric: tabular-nums; }
th { color: var(--soft); }
tr + tr > * { border-top: 1px solid var(--grid); }
tr.shown > * { font-weight: 700; }
summary { cursor: pointer; color: var(--accent); }
@media (max-width: 560px) {
  header, main { padding-left: .6rem; padding-right: .6rem; }
  section { padding: .9rem .75rem; margin: .9rem 0; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  figure img { width: 34rem; max-width: none; }
}
@media print { .controls { display: none; } section { break-inside: avoid; border: 0; } }
)css";

constexpr std::string_view kPageScript = R"js(
(() => {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const slider = document.getElementById("slider"), which = document.getElementById("which");
const facts = document.getElementById("facts"), curve = document.getElementById("curve");
const frames = [...document.querySelectorAll(".frame")], lines = [...document.querySelectorAll("#lines tbody tr")];
const wells = document.getElementById("wells");
const svgNames = "http://www.w3.org/2000/svg";
let current = data.shown.length - 1, marker = null, profiles = [];

const number = value => {
  if (!Number.isFinite(value)) return "none";
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e6 ? String(Number(value.toPrecision(4))) : value.toExponential(3);
};

const add = (parent, name, attributes, text) => {
  const element = document.createElementNS(svgNames, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
};

// Ticks at 1, 2 and 5 times powers of ten.
const ticksBetween = (low, high, logarithmic) => {
  const ticks = [];
  if (logarithmic) {
    const decades = Math.log10(high / low);
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
      for (const digit of decades > 2.5 ? [1] : [1, 2, 5])
        if (digit * 10 ** power >= low && digit * 10 ** power <= high) ticks.push(Number(`${digit}e${power}`));
    return ticks;
  }
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-9); ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
};

const drawCurve = () => {
  const width = Math.max(260, curve.clientWidth), height = Math.round(Math.min(320, Math.max(200, 0.5 * width)));
  const left = 52, right = 12, top = 12, bottom = 42;
  const known = data.relative.filter(Number.isFinite), least = Math.min(...known), largest = Math.max(...known, 0);
  const logarithmic = least > 0 && largest >= 10 * least;
  const [low, high] = logarithmic ? [0.8 * least, 1.25 * largest] : [0, largest > 0 ? 1.05 * largest : 1];
  const last = Math.max(1, data.place[data.place.length - 1]);
  const xOf = place => left + place / last * (width - left - right);
  const share = value => logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const yOf = value => height - bottom - share(value) * (height - top - bottom);
  curve.replaceChildren();
  const svg = add(curve, "svg", {viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true"});
  for (const value of ticksBetween(low, high, logarithmic)) {
    add(svg, "line", {x1: left, x2: width - right, y1: yOf(value), y2: yOf(value), stroke: "var(--grid)"});
    add(svg, "text", {x: left - 6, y: yOf(value) + 4, "text-anchor": "end"}, number(value));
  }
  for (const place of ticksBetween(0, last, false).filter(Number.isInteger)) {
    add(svg, "line", {x1: xOf(place), x2: xOf(place), y1: top, y2: height - bottom, stroke: "var(--grid)"});
    add(svg, "text", {x: xOf(place), y: height - bottom + 16, "text-anchor": "middle"}, String(place));
  }
  add(svg, "text", {x: 0.5 * (left + width - right), y: height - 6, "text-anchor": "middle"}, "iteration");
  const stages = [...new Set(data.stage)];
  stages.forEach((stage, k) => {
    const of = data.stage.flatMap((s, i) => s === stage && Number.isFinite(data.relative[i]) ? [i] : []);
    if (of.length === 0) return;
    const colour = `var(--curve-${k % 4 + 1})`, begin = xOf(data.place[of[0]]);
    if (k > 0) add(svg, "line", {x1: begin, x2: begin, y1: top, y2: height - bottom, stroke: "var(--soft)", "stroke-dasharray": "5 4"});
    add(svg, "polyline", {points: of.map(i => `${xOf(data.place[i])},${yOf(data.relative[i])}`).join(" "), fill: "none", stroke: colour, "stroke-width": 2});
    if (data.stage.length <= 100 || of.length === 1)
      for (const i of of) add(svg, "circle", {cx: xOf(data.place[i]), cy: yOf(data.relative[i]), r: 3, fill: colour});
  });
  marker = {line: add(svg, "line", {y1: top, y2: height - bottom, stroke: "var(--accent)", "stroke-width": 1.5}),
            dot: add(svg, "circle", {r: 6, fill: "var(--card)", stroke: "var(--accent)", "stroke-width": 3}), xOf, yOf};
  svg.addEventListener("click", event => {
    const box = svg.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * width;
    const far = i => Math.abs(xOf(data.place[data.shown[i]]) - at);
    show(data.shown.reduce((best, _, i) => far(i) < far(best) ? i : best, 0));
  });
  mark();
};

// Velocities at wells, all on one scale.
const scaleOfWells = () => {
  let low = Infinity, high = -Infinity;
  for (const well of data.wells.of)
    for (const vp of [well.start, well.truth || [], well.log ? well.log.vp : [], ...well.models])
      for (const value of vp) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const air = high > low ? 0.04 * (high - low) : 10;
  return [low - air, high + air];
};
const vpScale = wells === null ? [0, 1] : scaleOfWells();

const drawWell = well => {
  const figure = document.createElement("figure"), title = document.createElement("h3");
  title.textContent = well.title;
  figure.append(title);
  wells.append(figure);
  const width = Math.max(200, figure.clientWidth), height = Math.round(Math.min(460, 1.4 * width));
  const left = 52, right = 12, top = 8, bottom = 42, depth = data.wells.depth, [low, high] = vpScale;
  const first = depth[0], last = depth[depth.length - 1] > first ? depth[depth.length - 1] : first + 1;
  const xOf = vp => left + (vp - low) / (high - low) * (width - left - right);
  const yOf = z => top + (z - first) / (last - first) * (height - top - bottom);
  const pointsOf = (depths, vp) => vp.map((value, i) => `${xOf(value).toFixed(1)},${yOf(depths[i]).toFixed(1)}`).join(" ");
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": `Velocity over depth: ${well.title}`});
  for (const z of ticksBetween(first, last, false)) {
    add(svg, "line", {x1: left, x2: width - right, y1: yOf(z), y2: yOf(z), stroke: "var(--grid)"});
    add(svg, "text", {x: left - 6, y: yOf(z) + 4, "text-anchor": "end"}, number(z));
  }
  for (const vp of ticksBetween(low, high, false).filter((_, i, all) => width > 330 || all.length < 5 || i % 2 === 0)) {
    add(svg, "line", {x1: xOf(vp), x2: xOf(vp), y1: top, y2: height - bottom, stroke: "var(--grid)"});
    add(svg, "text", {x: xOf(vp), y: height - bottom + 16, "text-anchor": "middle"}, number(vp));
  }
  add(svg, "text", {x: 0.5 * (left + width - right), y: height - 6, "text-anchor": "middle"}, "vp [m/s]");
  add(svg, "text", {x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${0.5 * (top + height - bottom)}) rotate(-90)`}, "depth [m]");
  const line = (depths, vp, style) => add(svg, "polyline", {points: pointsOf(depths, vp), fill: "none", ...style});
  line(depth, well.start, {stroke: "var(--soft)", "stroke-width": 1.5});
  if (well.truth) line(depth, well.truth, {stroke: "var(--text)", "stroke-width": 1.5});
  if (well.log) line(well.log.depth, well.log.vp, {stroke: "var(--text)", "stroke-width": 1.5, "stroke-dasharray": "5 3"});
  const model = line([], [], {stroke: "var(--accent)", "stroke-width": 2.5});
  return i => model.setAttribute("points", pointsOf(depth, well.models[i]));
};

const drawWells = () => {
  if (wells === null) return;
  wells.replaceChildren();
  profiles = data.wells.of.map(drawWell);
  for (const showModel of profiles) showModel(current);
};

const mark = () => {
  const line = data.shown[current], x = marker.xOf(data.place[line]), value = data.relative[line];
  marker.line.setAttribute("x1", x);
  marker.line.setAttribute("x2", x);
  marker.dot.setAttribute("cx", x);
  marker.dot.setAttribute("visibility", Number.isFinite(value) ? "visible" : "hidden");
  if (Number.isFinite(value)) marker.dot.setAttribute("cy", marker.yOf(value));
};

const show = i => {
  current = Math.min(Math.max(i, 0), data.shown.length - 1);
  const line = data.shown[current];
  frames.forEach((frame, k) => frame.classList.toggle("shown", k === current));
  lines.forEach((row, k) => row.classList.toggle("shown", k === line));
  slider.value = current;
  slider.setAttribute("aria-valuetext", data.name[line]);
  which.textContent = data.name[line];
  facts.replaceChildren(...data.facts.filter(fact => fact.values[line] !== null).map(fact => {
    const tile = document.createElement("div"), title = document.createElement("dt"), value = document.createElement("dd");
    title.textContent = fact.title;
    value.textContent = number(fact.values[line]);
    tile.append(title, value);
    return tile;
  }));
  mark();
  for (const showModel of profiles) showModel(current);
};

document.getElementById("controls").hidden = false;
slider.addEventListener("input", () => show(Number(slider.value)));
document.addEventListener("keydown", event => {
  if (event.target === slider || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const to = {ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: data.shown.length - 1}[event.key];
  if (to === undefined) return;
  event.preventDefault();
  show(to);
});
const draw = () => {
  drawCurve();
  drawWells();
};
window.addEventListener("resize", draw);
draw();
show(current);
})();
)js";

/// Text as the content of an element or of a quoted attribute.
std::string page_text(std::string_view text) {
    std::string safe;
    for (const char c : printable_lines(text)) {
        switch (c) {
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '&': safe += "&amp;"; break;
            case '"': safe += "&quot;"; break;
            case '\'': safe += "&#39;"; break;
            default: safe += c;
        }
    }
    return safe;
}

/// The colour with the upper six bits of each channel, black and white as they are: a smooth model then takes little
/// more than half of the bytes, and no eye tells.
std::uint32_t coarser_colour(std::uint32_t argb) {
    return (argb & 0xfffcfcfc) | (argb >> 6 & 0x00030303);
}

/// Wider ones are shown as wide as the page is on a large screen, and scrolled on a small one.
constexpr int kWidePicture = 900;

/// A picture as a PNG that is never a file of its own.
struct PagePng {
    int width = 0, height = 0;
    std::string file;
};

PagePng png_of_picture(const Picture& picture) {
    const Pixels pixels = draw_pixels(picture);
    const LibraryAtWork library("Cairo");
    Drawing sheet(SheetKind::png, pixels.width, pixels.height);
    sheet.image({0., 0., static_cast<double>(pixels.width), static_cast<double>(pixels.height)}, pixels.width,
                pixels.height, [&pixels](std::size_t i) { return coarser_colour(pixels.argb[i]); });
    return {pixels.width, pixels.height, sheet.file()};
}

/// A column of the table, and what the tile of an iteration calls it.
struct PageColumn {
    std::string_view title;
    std::function<std::optional<double>(const InversionIteration&)> value;
};

const std::vector<PageColumn>& page_columns() {
    using Line = InversionIteration;
    static const std::vector<PageColumn> columns{
        {"stage", [](const Line& line) { return static_cast<double>(line.stage); }},
        {"iteration", [](const Line& line) { return static_cast<double>(line.iteration); }},
        {"misfit", [](const Line& line) { return line.misfit; }},
        {"of the stage's first", [](const Line& line) { return line.relative; }},
        {"penalty", [](const Line& line) { return line.penalty; }},
        {"step", [](const Line& line) { return line.step; }},
        {"change of vp, relative", [](const Line& line) { return line.change; }},
        {"projected gradient", [](const Line& line) { return line.gradient; }},
        {"trials", [](const Line& line) { return static_cast<double>(line.trials); }},
        {"shots", [](const Line& line) { return static_cast<double>(line.shots); }},
        {"error of the model [%]", [](const Line& line) { return line.model_error_percent; }},
    };
    return columns;
}

/// To tenths, which no line on a screen tells apart.
template <typename Value>
nlohmann::ordered_json tenths(std::span<const Value> values) {
    nlohmann::ordered_json rounded = nlohmann::ordered_json::array();
    for (const Value value : values) rounded.push_back(std::round(10. * static_cast<double>(value)) / 10.);
    return rounded;
}

nlohmann::ordered_json wells_data(const InversionPage& page) {
    nlohmann::ordered_json data{{"depth", page.depth_m}, {"of", nlohmann::ordered_json::array()}};
    for (const PageWell& well : page.wells) {
        nlohmann::ordered_json& of_well = data["of"].emplace_back();
        of_well["title"] = printable_whole(well.title);
        of_well["start"] = tenths(well.start);
        if (!well.truth.empty()) of_well["truth"] = tenths(well.truth);
        if (!well.log_vp_m_s.empty()) of_well["log"] = {{"depth", well.log_depth_m}, {"vp", tenths(well.log_vp_m_s)}};
        of_well["models"] = nlohmann::ordered_json::array();
        for (const std::span<const float> model : well.models) of_well["models"].push_back(tenths(model));
    }
    return data;
}

/// JSON that may stand in a script element: nothing in it ends the element. NaN is null.
std::string page_data(const InversionPage& page) {
    nlohmann::ordered_json data{{"shown", page.shown}, {"place", page.places}};
    for (const InversionIteration& line : page.iterations) {
        data["stage"].push_back(line.stage);
        data["relative"].push_back(line.relative);
        data["name"].push_back(name_of(line));
    }
    for (const PageColumn& column : page_columns()) {
        nlohmann::ordered_json values;
        for (const InversionIteration& line : page.iterations) {
            const std::optional<double> value = column.value(line);
            values.push_back(value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json());
        }
        data["facts"].push_back({{"title", column.title}, {"values", std::move(values)}});
    }
    if (!page.wells.empty()) data["wells"] = wells_data(page);
    std::string text;
    for (const char c : data.dump()) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    return text;
}

/// What of the models is shown.
std::string shown_text(const InversionPage& page) {
    const std::size_t lines = page.iterations.size(), shown = page.shown.size();
    if (shown == lines) return fmt::format("The models of all {} lines of the table are shown.", lines);
    return fmt::format(
        "The models of {} of {} lines of the table are shown: every {} from the first on, and the "
        "last. The curve and the table have all.",
        shown, lines, ordinal_text(page.shown[1] - page.shown[0]));
}

void put_head(const InversionPage& page, const PutText& put) {
    const std::string title = page_text(page.title.empty() ? "Inversion" : page.title);
    put(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="Onda">
)");
    put("<title>" + title + "</title>\n<style>");
    put(kPageStyle);
    put("</style>\n<script>document.documentElement.className = \"live\";</script>\n</head>\n<body>\n<header>\n");
    put("<p class=\"kind\">Onda inversion</p>\n<h1>" + title + "</h1>\n<p class=\"lead\">" + shown_text(page) +
        "</p>\n</header>\n");
}

void put_frames(const InversionPage& page, const PutText& put) {
    for (std::size_t i = 0; i < page.shown.size(); ++i) {
        const InversionIteration& line = page.iterations[page.shown[i]];
        const PagePng picture = png_of_picture(page.picture_of(i));
        const std::string name = name_of(line);
        put(
            fmt::format("<figure class=\"frame\"><img width=\"{}\" height=\"{}\" alt=\"Sections of vp of {}, and its "
                        "change from the start model; misfit {:.4g} of that which the stage began with\" "
                        "src=\"data:image/png;base64,",
                        picture.width, picture.height, name, line.relative));
        put_base64(std::as_bytes(std::span(picture.file)), put);
        put(fmt::format("\"><figcaption>{}</figcaption></figure>\n", name));
    }
}

void put_wells(const InversionPage& page, const PutText& put) {
    if (page.wells.empty()) return;
    const auto any = [&page](const auto& has) { return std::ranges::any_of(page.wells, has); };
    put("<section aria-labelledby=\"wells-title\">\n<h2 id=\"wells-title\">Wells</h2>\n<ul class=\"legend\">"
        "<li><i class=\"start\"></i>start model</li>");
    if (any([](const PageWell& well) { return !well.truth.empty(); }))
        put("<li><i class=\"truth\"></i>true model</li>");
    if (any([](const PageWell& well) { return !well.log_vp_m_s.empty(); })) put("<li><i class=\"log\"></i>log</li>");
    put("<li><i class=\"model\"></i>iteration that is shown</li></ul>\n<div id=\"wells\" class=\"wells\"></div>\n"
        "<noscript><p>A script draws the profiles; wells.png has those of the last model.</p></noscript>\n"
        "</section>\n");
}

void put_row(std::span<const std::string> cells, std::string_view open, std::string_view close, const PutText& put) {
    put("<tr>");
    for (const std::string& cell : cells) {
        put(open);
        put(page_text(cell));
        put(close);
    }
    put("</tr>\n");
}

void put_section(const PageSection& section, const PutText& put) {
    const std::string title = page_text(section.title);
    put("<section>\n<h2>" + title + "</h2>\n");
    if (!section.lead.empty()) put("<p class=\"lead\">" + page_text(section.lead) + "</p>\n");
    if (section.picture) {
        const PagePng picture = png_of_picture(*section.picture);
        put(
            fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<figure{}><img "
                        "width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,",
                        title, picture.width > kWidePicture ? " class=\"wide\"" : "", picture.width, picture.height,
                        page_text(section.alt)));
        put_base64(std::as_bytes(std::span(picture.file)), put);
        put("\"></figure>\n</div>\n");
    }
    if (!section.head.empty()) {
        put("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + title +
            ": table\">\n<table>\n<thead>");
        put_row(section.head, "<th scope=\"col\">", "</th>", put);
        put("</thead>\n<tbody>\n");
        for (const std::vector<std::string>& row : section.rows) put_row(row, "<td>", "</td>", put);
        put("</tbody>\n</table>\n</div>\n");
    }
    put("</section>\n");
}

void put_table(const InversionPage& page, const PutText& put) {
    put("<table id=\"lines\">\n<thead><tr>");
    for (const PageColumn& column : page_columns()) put("<th scope=\"col\">" + page_text(column.title) + "</th>");
    put("</tr></thead>\n<tbody>\n");
    for (const InversionIteration& line : page.iterations) {
        std::string row = "<tr>";
        for (const PageColumn& column : page_columns()) {
            const std::optional<double> value = column.value(line);
            row += value ? fmt::format("<td>{:.6g}</td>", *value) : "<td></td>";
        }
        put(row + "</tr>\n");
    }
    put("</tbody>\n</table>\n");
}

}  // namespace

std::vector<std::size_t> shown_on_page(std::size_t lines) {
    std::vector<std::size_t> shown;
    if (lines == 0) return shown;
    const std::size_t every = lines <= kMostOnPage ? 1 : (lines - 2) / (kMostOnPage - 1) + 1;
    for (std::size_t line = 0; line < lines; line += every) shown.push_back(line);
    if (shown.back() + 1 != lines) shown.push_back(lines - 1);
    return shown;
}

std::string name_of(const InversionIteration& iteration) {
    return fmt::format("stage {}, iteration {}", iteration.stage, iteration.iteration);
}

void put_inversion_page(const InversionPage& page, const PutText& put) {
    put_head(page, put);
    put(fmt::format(R"(<main>
<section aria-labelledby="model-title">
<h2 id="model-title">Model</h2>
<div id="controls" class="controls" hidden><label for="slider">Iteration</label><input type="range" id="slider" min="0" max="{}" step="1" value="{}"><output id="which" for="slider"></output></div>
<dl id="facts" class="tiles"></dl>
<div class="scroll" tabindex="0" role="region" aria-label="Model and change of the model">
)",
                    page.shown.size() - 1, page.shown.size() - 1));
    put_frames(page, put);
    put("</div>\n</section>\n");
    put_wells(page, put);
    put(R"(<section aria-labelledby="curve-title">
<h2 id="curve-title">Misfit</h2>
<p class="lead">As a part of that which each stage began with, a colour for each stage; the marker is at the iteration that is shown.</p>
<div id="curve" role="img" aria-label="Misfit by iteration; the table below has its values"></div>
</section>
)");
    for (const PageSection& section : page.sections) put_section(section, put);
    put(R"(<section>
<details><summary>Table of all iterations</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Table of all iterations">
)");
    put_table(page, put);
    put("</div>\n</details>\n</section>\n</main>\n<script type=\"application/json\" id=\"data\">");
    put(page_data(page));
    put("</script>\n<script>");
    put(kPageScript);
    put("</script>\n</body>\n</html>\n");
}

}  // namespace onda
