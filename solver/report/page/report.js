// The sections of the report.

const report = JSON.parse(byId("report").textContent);
const shots = [...document.querySelectorAll("script.shot")].map(e => JSON.parse(e.textContent));
const summary = report.summary;
const plots = [];

// ---- what the page says in words

function fillHeader() {
  const title = summary.title || "Onda run";
  byId("title").textContent = title;
  const finished = summary.finished_utc && summary.finished_utc.replace("T", " ").replace(/:\d\dZ$/, " UTC");
  const parts = [finished && `finished ${finished}`, summary.host && summary.host.name,
    summary.onda && `Onda ${summary.onda.version}`, summary.run_id && `run ${summary.run_id.slice(0, 8)}`];
  byId("subtitle").textContent = parts.filter(Boolean).join(" · ");
  const warnings = (summary.warnings || []).length;
  const verdict = byId("verdict");
  verdict.textContent = warnings ? `Complete, ${warnings} warning${warnings > 1 ? "s" : ""}` : "Complete";
  verdict.classList.toggle("warn", warnings > 0);
}

function fillContents() {
  for (const section of document.querySelectorAll("main > section")) {
    const item = element("li"), link = element("a", section.querySelector("h2").textContent);
    link.href = `#${section.id}`;
    item.append(link);
    byId("contents").append(item);
  }
}

const axes = list => (summary.grid.dimensions === 2 ? [list[0], list[2]] : list);

function tile(name, value, note) {
  const box = element("div"), data = element("dd", value);
  if (note) data.append(element("small", note));
  box.append(element("dt", name), data);
  byId("tiles").append(box);
}

function fillOverview() {
  const {grid, time, sampling, survey, performance, memory, backend} = summary;
  if (grid) {
    const spacing = [...new Set(axes(grid.spacing_m_xyz))];
    tile("Grid", axes(grid.shape_xyz).join(" × "), `${count(grid.points)} nodes, spacing ${spacing.map(s => number(s)).join(" × ")} m`);
  }
  if (summary.velocity) tile("Velocity", `${number(summary.velocity.min_m_s)}–${number(summary.velocity.max_m_s)} m/s`);
  if (summary.density) tile("Density", `${number(summary.density.min_kg_m3)}–${number(summary.density.max_kg_m3)} kg/m³`);
  if (time) {
    const record = time.seismogram_dt_s * Math.max(time.seismogram_samples - 1, 0);
    if (record > 0) tile("Record length", `${number(record)} s`, `${count(time.seismogram_samples)} samples of ${number(time.seismogram_dt_s * 1e3)} ms`);
    tile("Time step", `${number(time.dt_s * 1e3)} ms`, `${count(time.steps)} steps, ${number(time.cfl_fraction, 3)} of the stability limit`);
  }
  if (sampling) tile("Points per wavelength", number(sampling.points_per_wavelength, 3), `at ${number(sampling.highest_frequency_hz, 3)} Hz; ${number(sampling.needed, 2)} needed`);
  if (survey) tile("Survey", `${count(survey.shots)} shot${survey.shots === 1 ? "" : "s"}`, `at most ${count(survey.most_receivers)} receivers a shot`);
  if (performance) tile("Speed", `${number(performance.gpt_per_s, 3)} Gpt/s`, "billion nodes times steps per second");
  if (performance && performance.phase_s) tile("Time", seconds(Object.values(performance.phase_s).reduce((a, b) => a + b, 0)), "plan, model, time steps and outputs");
  if (memory) tile("Memory", bytes(memory.peak_bytes), `${bytes(memory.predicted_bytes)} predicted`);
  if (summary.max_abs_pressure !== undefined) tile("Largest |p|", `${number(summary.max_abs_pressure, 3)} Pa`, "at the checks of stability");
  fillPhases(performance ? performance.phase_s || {} : {});
  if (backend) fillFacts(byId("what"), [
    ["Model", summary.model], ["Operator", backend.operator && backend.operator.replaceAll("_", " ")],
    ["Scheme", `order ${backend.space_order} in space, ${backend.coefficients} coefficients, ${backend.precision} precision`],
    ["Device", backend.hardware || backend.name], ["Kernel", [backend.kernel, backend.instruction_set].filter(Boolean).join(", ")],
    ["Threads", backend.threads], ["Numerical dispersion of the time step", time && (time.dispersion_corrected ? "removed from the seismograms" : "left in the seismograms")]]);
}

function fillPhases(phases) {
  const all = Object.entries(phases).filter(([, s]) => s > 0), most = Math.max(...all.map(([, s]) => s), 1e-12);
  for (const [name, s] of all) {
    const row = element("tr"), bar = element("td"), fill = element("i"), time = element("td", seconds(s), "number");
    fill.style.width = `${Math.max(0.5, 100 * s / most)}%`;
    bar.append(fill);
    row.append(element("td", name), bar, time);
    byId("phases").append(row);
  }
}

function fillChecks() {
  const check = (good, text) => {
    const item = element("li", undefined, good ? "" : "warn");
    item.append(element("b", good ? "✓" : "⚠"), element("span", text));
    item.firstChild.setAttribute("aria-label", good ? "good" : "warning");
    byId("check-list").append(item);
  };
  const {time, sampling, memory} = summary;
  if (time) check(time.cfl_fraction <= 1, `The time step is ${number(time.cfl_fraction, 3)} of the stability limit, ${number(time.stability_limit_s * 1e3)} ms.`);
  if (sampling) check(sampling.points_per_wavelength >= sampling.needed,
    `${number(sampling.points_per_wavelength, 3)} points per wavelength at ${number(sampling.highest_frequency_hz, 3)} Hz; the scheme needs ${number(sampling.needed, 2)} to keep the phase velocity within 0.5 %.`);
  if (time) check(time.dispersion_corrected, time.dispersion_corrected ? "The seismograms are free of the numerical dispersion of the time step." : "The seismograms hold the numerical dispersion of the time step (time.dispersion_correction: false).");
  if (Number.isFinite(summary.max_abs_pressure)) check(summary.max_abs_pressure > 0, `The pressure stayed finite: at most ${number(summary.max_abs_pressure, 3)} Pa when stability was checked.`);
  if (memory && memory.predicted_bytes) check(memory.peak_bytes <= 1.1 * memory.predicted_bytes + 5e6, `The run took ${bytes(memory.peak_bytes)} of memory; ${bytes(memory.predicted_bytes)} were predicted.`);
  for (const warning of summary.warnings || []) check(false, warning);
  const list = (title, lines) => {
    if (!lines.length) return;
    const items = element("ul");
    for (const line of lines) items.append(element("li", line));
    byId("notes").append(element("h3", title), items);
  };
  list("Notes of the run", summary.notes || []);
  list("What this page leaves out", thinningNotes());
}

function thinningNotes() {
  const notes = [...report.notes];
  const steps = {model: report.planes.map(p => p.thinning), wavefield: shots.flatMap(s => s.movies.map(m => m.plane.thinning))};
  for (const [what, of] of Object.entries(steps)) {
    const step = Math.max(1, ...of);
    if (step > 1) notes.push(`sections of the ${what} show every ${ordinal(step)} node along each axis`);
  }
  const g = shots.map(s => s.gather).filter(Boolean);
  const receivers = Math.max(1, ...g.map(s => s.every_receiver)), samples = Math.max(1, ...g.map(s => s.every_sample));
  if (receivers > 1) notes.push(`gathers show every ${ordinal(receivers)} receiver`);
  if (samples > 1) notes.push(`gathers show every ${ordinal(samples)} sample`);
  if (shots.some(s => s.movies.length)) notes.push("wavefields are kept in 8 bits on a scale of square roots, traces in 16 bits");
  return notes.map(n => n[0].toUpperCase() + n.slice(1) + ".");
}

const ordinal = n => `${n}${n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th"}`;

function fillProvenance() {
  const {onda = {}, host = {}, hashes = {}} = summary;
  fillFacts(byId("provenance-table"), [
    ["Run", summary.run_id, "mono"], ["Identity of the results", summary.identity, "mono"], ["Command", summary.command_line, "mono"],
    ["Started", summary.started_utc], ["Finished", summary.finished_utc],
    ["Onda", onda.version && `${onda.version}, commit ${onda.git_commit}`],
    ["Host", host.name], ["System", host.system], ["Processor", host.cpu && `${host.cpu}, ${host.processors} processors`],
    ["Hash of the model", hashes.model && `${hashes.model} (${hashes.algorithm})`, "mono"]]);
  fillFacts(byId("libraries"), [["Compiler", onda.compiler], ["Flags", onda.flags, "mono"], ...Object.entries(onda.libraries || {})]);
  byId("licence").textContent = report.licence;
  const head = element("tr");
  head.append(...["File", "Size", "Hash"].map(t => element("th", t)));
  byId("files").append(head);
  for (const file of summary.files || []) {
    const row = element("tr");
    row.append(element("td", file.name), element("td", file.bytes ? bytes(file.bytes) : "", "number"), element("td", file.hash || "", "mono"));
    byId("files").append(row);
  }
  byId("config-text").textContent = report.config_yaml;
  byId("config-copy").addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(report.config_yaml); } catch { getSelection().selectAllChildren(byId("config-text")); }
    byId("config-copy").textContent = "Copied";
  });
}

// ---- planes: model and wavefield

const last = axis => axis.first_m + (axis.count - 1) * axis.spacing_m;
const planeLabel = p => (p.across ? `${p.name} at ${p.across} = ${number(p.at_m, 6)} m` : p.name);

/** The axes of a plane, with the absorbing layers beyond it or without. */
function planeAxes(plane, beyond) {
  const [left, right, top, bottom] = plane.sides.map(s => (beyond ? s.beyond_m : 0)), {horizontal: h, vertical: v} = plane;
  return {
    x: {label: `${h.name} [m]`, low: h.first_m - left, high: last(h) + right, least: 4 * h.spacing_m},
    y: {label: `${v.name} [m]`, low: v.first_m - top, high: last(v) + bottom, least: 4 * v.spacing_m},
  };
}

/** The index of the value of a plane at a place; -1 outside. */
function indexAt(plane, x, y) {
  const {horizontal: h, vertical: v} = plane;
  const i = Math.round((x - h.first_m) / h.spacing_m), j = Math.round((y - v.first_m) / v.spacing_m);
  return i >= 0 && j >= 0 && i < h.count && j < v.count ? j * h.count + i : -1;
}

const placeText = (plane, x, y) => `${plane.horizontal.name} ${number(x)} m, ${plane.vertical.name} ${number(y)} m`;

function drawLayers(plot, context, plane) {
  const [left, right, top, bottom] = plane.sides, {horizontal: h, vertical: v} = plane;
  const x0 = h.first_m, x1 = last(h), y0 = v.first_m, y1 = last(v), back = css("--page"), clear = "rgba(0,0,0,0)";
  hatch(plot, context, plot.x.low, x0, plot.y.low, plot.y.high, back);
  hatch(plot, context, x1, plot.x.high, plot.y.low, plot.y.high, back);
  hatch(plot, context, x0, x1, plot.y.low, y0, back);
  hatch(plot, context, x0, x1, y1, plot.y.high, back);
  hatch(plot, context, x0, x0 + left.inside_m, y0, y1, clear);
  hatch(plot, context, x1 - right.inside_m, x1, y0, y1, clear);
  hatch(plot, context, x0 + left.inside_m, x1 - right.inside_m, y0, y0 + top.inside_m, clear);
  hatch(plot, context, x0 + left.inside_m, x1 - right.inside_m, y1 - bottom.inside_m, y1, clear);
  context.strokeStyle = "rgba(90,90,90,.9)";
  context.lineWidth = 1;
  context.strokeRect(plot.px(x0), plot.py(y0), plot.px(x1) - plot.px(x0), plot.py(y1) - plot.py(y0));
}

function sidesText(plane, beyond) {
  const names = ["left", "right", "top", "bottom"].map((n, i) => [n, plane.sides[i]]);
  const layers = names.filter(([, s]) => s.beyond_m > 0 || s.inside_m > 0);
  const others = names.filter(([, s]) => s.kind && !(s.beyond_m > 0 || s.inside_m > 0));
  const text = [];
  const shown = layers.filter(([, s]) => beyond || s.inside_m > 0), kinds = list => [...new Set(list.map(([, s]) => s.kind))].join(", ");
  if (shown.length) text.push(`Hatched: absorbing layers (${kinds(shown)})`);
  else if (layers.length) text.push(`Absorbing layers (${kinds(layers)}) lie beyond the ${layers.map(([n]) => n).join(", ")}`);
  for (const [name, side] of others) text.push(`${name}: ${side.kind.replace("_", " ")}`);
  return text.join(" · ");
}

const projected = (plane, positions) => {
  const at = {x: 0, y: 1, z: 2};
  return positions.map(p => [p[at[plane.horizontal.name]], p[at[plane.vertical.name]]]);
};

const uniform = p => !(p.max > p.min);

async function modelRaster(plane, parameter, map) {
  const values = await numbers(parameter.values), table = colours(map);
  return paintRaster(plane.horizontal.count, plane.vertical.count, (i, pixels, at) => {
    pixels.set(table[uniform(parameter) ? 128 : values[i] >> 8], at);
    pixels[at + 3] = 255;
  });
}

async function showModel() {
  const planes = report.planes.filter(p => p.parameters.length);
  if (!planes.length) {
    byId("model").querySelectorAll(".controls, .plot, .bar, .readout, .legend").forEach(e => e.remove());
    byId("model-text").textContent = "The model is not at hand: " + (report.notes.find(n => n.includes("model")) || "it was not kept.");
    return;
  }
  byId("model-text").textContent = summary.model || "";
  fillSelect(byId("model-plane"), planes.map(planeLabel));
  fillSelect(byId("model-parameter"), planes[0].parameters.map(p => `${p.quantity} (${p.name})`));
  let plane, parameter, values, raster;
  const plot = new Plot(byId("model-canvas"), {
    x: {low: 0, high: 1}, y: {low: 0, high: 1}, equal: true, zoom: true, readout: byId("model-readout"),
    draw: (plot, context) => {
      if (!raster) return;
      const {horizontal: h, vertical: v} = plane;
      plot.image(context, raster, h.first_m, last(h), v.first_m, last(v), false);
      drawLayers(plot, context, plane);
      if (!byId("model-marks").checked) return;
      drawMarks(plot, context, projected(plane, report.survey.receivers_m), "triangle", "#ffffff");
      drawMarks(plot, context, projected(plane, report.survey.sources_m), "star", "#ff3b30");
    },
    read: (x, y) => {
      const at = indexAt(plane, x, y);
      if (at < 0 || !values) return placeText(plane, x, y);
      const value = parameter.min + (parameter.max - parameter.min) * values[at] / 65535;
      return `${placeText(plane, x, y)}: ${parameter.name} ${number(value)} ${parameter.unit}`;
    },
  });
  plots.push(plot);
  const show = async () => {
    plane = planes[byId("model-plane").value || 0];
    parameter = plane.parameters[byId("model-parameter").value || 0];
    values = await numbers(parameter.values);
    raster = await modelRaster(plane, parameter, kViridis);
    plot.set(planeAxes(plane, true));
    byId("model-canvas").setAttribute("aria-label", `${parameter.quantity} on the plane ${planeLabel(plane)}. Arrow keys move a cross hair, plus and minus zoom.`);
    byId("model-bar").parentElement.hidden = uniform(parameter);
    paintBar(byId("model-bar"), i => colours(kViridis)[i]);
    byId("model-range").replaceChildren(...[parameter.min, parameter.max].map(v => element("span", `${number(v)} ${parameter.unit}`)));
    byId("model-legend").textContent = [uniform(parameter) ? `Uniform: ${number(parameter.min)} ${parameter.unit}` : "",
      "★ sources, ▽ receivers of all shots", sidesText(plane, true)].filter(Boolean).join(" · ");
    plot.redraw();
  };
  for (const id of ["model-plane", "model-parameter", "model-marks"]) byId(id).addEventListener("change", show);
  await show();
}

/** The section of the model under a plane of a wavefield: its own, or one of the page's. */
function backgroundOf(plane) {
  if (plane.parameters.length) return plane;
  return report.planes.find(p => p.parameters.length && p.name === plane.name && p.at_m === plane.at_m);
}

/** |p| below which 99 of 100 values of a frame lie, but not below 2 % of its peak. */
function frameClip(frames, from, points, peak) {
  const counts = new Uint32Array(128);
  for (let i = from; i < from + points; ++i) ++counts[Math.abs(frames[i])];
  let above = 0, q = 127;
  while (q > 0 && (above += counts[q]) < 0.01 * points) --q;
  return peak * Math.max((q / 127) ** 2, 0.02);
}

async function showWavefield() {
  const filmed = shots.filter(s => s.movies.length);
  byId("wavefield-none").hidden = filmed.length > 0;
  byId("wavefield-body").hidden = filmed.length === 0;
  if (!filmed.length) return;
  const slider = byId("movie-time"), play = byId("movie-play");
  const raster = document.createElement("canvas");
  let shot, movie, plane, frames, peaks, clips, common, model, background, timer;
  const plot = new Plot(byId("movie-canvas"), {
    x: {low: 0, high: 1}, y: {low: 0, high: 1}, equal: true, zoom: true, readout: byId("movie-readout"),
    draw: (plot, context) => {
      if (!movie) return;
      const {horizontal: h, vertical: v} = plane, box = [h.first_m, last(h), v.first_m, last(v)];
      if (background) plot.image(context, background, model.horizontal.first_m, last(model.horizontal), model.vertical.first_m, last(model.vertical), false);
      else { context.fillStyle = "#e8e8e8"; context.fillRect(plot.px(box[0]), plot.py(box[2]), plot.px(box[1]) - plot.px(box[0]), plot.py(box[3]) - plot.py(box[2])); }
      plot.image(context, raster, ...box);
      drawLayers(plot, context, plane);
      if (shot.gather) drawMarks(plot, context, projected(plane, shot.gather.receivers_m), "triangle", "#ffffff");
      drawMarks(plot, context, projected(plane, shot.sources_m), "star", "#ffd60a");
    },
    read: (x, y) => {
      const at = indexAt(plane, x, y);
      return placeText(plane, x, y) + (at < 0 ? "" : `: p ${number(pressure(at), 3)} Pa`);
    },
  });
  plots.push(plot);
  const points = () => plane.horizontal.count * plane.vertical.count;
  const pressure = at => {
    const i = Number(slider.value), q = frames[i * points() + at] / 127;
    return Math.sign(q) * q * q * peaks[i];
  };
  const clip = i => (byId("movie-scale").value === "one" ? common : clips[i]) / 10 ** (byId("movie-gain").value / 20);
  const paint = () => {
    const i = Number(slider.value), limit = clip(i) || 1, table = new Uint8ClampedArray(4 * 256);
    for (let q = -128; q < 128; ++q) {
      const p = Math.sign(q) * (q / 127) ** 2 * peaks[i] / limit;
      table.set([...(p > 0 ? [200, 16, 24] : [20, 70, 180]), 255 * Math.min(1, Math.abs(p))], 4 * (q & 255));
    }
    const context = raster.getContext("2d"), image = context.createImageData(plane.horizontal.count, plane.vertical.count);
    const colour = new Uint32Array(table.buffer), pixels = new Uint32Array(image.data.buffer), from = i * points();
    for (let k = 0; k < pixels.length; ++k) pixels[k] = colour[frames[from + k] & 255];
    context.putImageData(image, 0, 0);
    const time = `${movie.times_s[i].toFixed(Math.max(3, Math.ceil(-Math.log10(movie.times_s[0] || 1)) + 1))} s`;
    byId("movie-time-text").textContent = time;
    slider.setAttribute("aria-valuetext", time);
    byId("movie-gain-text").textContent = `${byId("movie-gain").value} dB`;
    byId("movie-range").replaceChildren(...[-1, 0, 1].map(s => element("span", s ? `${number(s * limit, 2)} Pa` : "0")));
    if (plot.cursor) plot.say(plot.read(plot.cursor.x, plot.cursor.y));
    plot.redraw();
  };
  const show = async () => {
    shot = filmed[byId("movie-shot").value || 0];
    movie = shot.movies[byId("movie-plane").value || 0];
    plane = movie.plane;
    frames = await numbers(movie.frames);
    peaks = await numbers(movie.peaks);
    clips = movie.times_s.map((_, i) => frameClip(frames, i * points(), points(), peaks[i]));
    const heard = clips.filter(c => c > 0).sort((a, b) => a - b);
    common = heard.length ? heard[Math.floor(heard.length / 2)] : 1;
    model = backgroundOf(plane);
    background = model && !uniform(model.parameters[0]) ? await modelRaster(model, model.parameters[0], kGreys) : null;
    raster.width = plane.horizontal.count;
    raster.height = plane.vertical.count;
    slider.max = String(movie.times_s.length - 1);
    slider.value = String(Math.min(Number(slider.value) || Math.floor(movie.times_s.length * 0.4), movie.times_s.length - 1));
    plot.set(planeAxes(plane, false));
    byId("movie-canvas").setAttribute("aria-label", `Pressure of shot ${shot.shot} on the plane ${planeLabel(plane)}. Arrow keys move a cross hair, plus and minus zoom.`);
    byId("movie-legend").textContent = ["Red: pressure is positive, blue: negative, over the velocity in grey", "★ source, ▽ receivers", sidesText(plane, false)].filter(Boolean).join(" · ");
    paint();
  };
  paintBar(byId("movie-bar"), i => { const a = Math.abs(i / 127.5 - 1); return (i > 127 ? [200, 16, 24] : [20, 70, 180]).map(c => Math.round(c * a + 225 * (1 - a))); });
  fillSelect(byId("movie-shot"), filmed.map(s => `${s.shot}`));
  byId("movie-shot").value = String(Math.floor(filmed.length / 2));
  const planesOfShot = () => fillSelect(byId("movie-plane"), filmed[byId("movie-shot").value || 0].movies.map(m => planeLabel(m.plane)));
  planesOfShot();
  const stop = () => { clearInterval(timer); timer = undefined; play.textContent = "▶"; play.setAttribute("aria-label", "Play"); };
  const start = () => {
    stop();
    timer = setInterval(() => { slider.value = String((Number(slider.value) + 1) % movie.times_s.length); paint(); }, 1000 / Number(byId("movie-speed").value));
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
  };
  play.addEventListener("click", () => (timer ? stop() : start()));
  byId("movie-speed").addEventListener("change", () => { if (timer) start(); });
  slider.addEventListener("input", () => { stop(); paint(); });
  for (const id of ["movie-gain", "movie-scale"]) byId(id).addEventListener("input", paint);
  byId("movie-shot").addEventListener("change", () => { const at = byId("movie-plane").value; planesOfShot(); byId("movie-plane").value = at; show(); });
  byId("movie-plane").addEventListener("change", show);
  await show();
}

// ---- gathers

/** The axes that the traces of a gather may be laid out along: those with even steps, and the number of the trace. */
function traceAxes(gather) {
  const axes = [];
  const add = (label, values) => {
    const step = values[1] - values[0];
    if (values.length > 1 && Math.abs(step) > 0 && values.every((v, i) => i === 0 || Math.abs(v - values[i - 1] - step) <= 0.01 * Math.abs(step)))
      axes.push({label, first: values[0], step: (values[values.length - 1] - values[0]) / (values.length - 1)});
  };
  ["x", "y", "z"].forEach((name, a) => add(`receiver ${name} [m]`, gather.receivers_m.map(r => r[a])));
  add("offset [m]", gather.offsets_m);
  axes.push({label: "receiver", first: 1, step: gather.every_receiver});
  return axes;
}

/** All traces as float32 [trace][sample]. */
async function tracesOf(gather) {
  const q = await numbers(gather.traces), peaks = await numbers(gather.peaks), p = new Float32Array(q.length);
  for (let r = 0, i = 0; r < peaks.length; ++r) for (let n = 0; n < gather.samples; ++n, ++i) p[i] = q[i] / 32767 * peaks[r];
  return p;
}

/** The positions of a gather's receivers, from the blocks that hold them. */
async function placeReceivers(gather) {
  const xyz = await numbers(gather.positions);
  gather.offsets_m = Array.from(await numbers(gather.offsets));
  gather.receivers_m = gather.offsets_m.map((_, r) => [xyz[3 * r], xyz[3 * r + 1], xyz[3 * r + 2]]);
}

async function showGathers() {
  const recorded = shots.filter(s => s.gather);
  byId("gathers-none").hidden = recorded.length > 0;
  byId("gathers-body").hidden = recorded.length === 0;
  if (!recorded.length) { byId("spectra").hidden = true; return; }
  let shot, gather, p, peaks, axis, clip, picked;
  const traces = () => gather.receivers_m.length;
  const traceAt = x => Math.min(Math.max(Math.round((x - axis.first) / axis.step), 0), traces() - 1);
  /** At two fifths of the largest offset reflections stand beside the direct wave. */
  const firstPick = () => {
    const sizes = gather.offsets_m.map(Math.abs), wanted = 0.4 * Math.max(...sizes);
    return sizes.reduce((best, size, r) => (Math.abs(size - wanted) < Math.abs(sizes[best] - wanted) ? r : best), 0);
  };
  const describe = r => {
    const [x, y, z] = gather.receivers_m[r].map(v => number(v));
    return `Receiver ${1 + r * gather.every_receiver} of ${gather.receivers} · x ${x}, ${summary.grid && summary.grid.dimensions === 2 ? "" : `y ${y}, `}z ${z} m · offset ${number(gather.offsets_m[r])} m`;
  };
  const plot = new Plot(byId("gather-canvas"), {
    x: {low: 0, high: 1}, y: {low: 0, high: 1}, zoom: true, readout: byId("gather-readout"),
    draw: (plot, context) => axis && drawGather(plot, context),
    read: (x, y) => {
      const r = traceAt(x), n = Math.min(Math.max(Math.round(y / gather.dt_s), 0), gather.samples - 1);
      return `${describe(r)} · t ${number(n * gather.dt_s)} s · p ${number(p[r * gather.samples + n], 3)} Pa`;
    },
    pick: x => pick(traceAt(x)),
  });
  plots.push(plot);

  /** Where several samples share a pixel the largest is shown, so that no arrival vanishes. */
  function drawGather(plot, context) {
    const {left, top, w, h} = plot.box, view = plot.view, scale = Math.min(plot.ratio, 2);
    const columns = Math.max(1, Math.round(w * scale)), rows = Math.max(1, Math.round(h * scale));
    const table = colours(byId("gather-map").value === "grey" ? kSeismicGrey : kRedBlue);
    const limit = clip / 10 ** (byId("gather-gain").value / 20), balanced = byId("gather-balance").checked;
    const first = new Int32Array(rows + 1);
    for (let row = 0; row <= rows; ++row) first[row] = Math.min(gather.samples, Math.max(0, Math.round((view.y0 + row / rows * (view.y1 - view.y0)) / gather.dt_s)));
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = rows;
    const image = canvas.getContext("2d").createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer), colour = table.map(([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0);
    const line = new Uint32Array(rows);
    for (let column = 0, before = -1; column < columns; ++column) {
      const r = traceAt(view.x0 + (column + 0.5) / columns * (view.x1 - view.x0));
      if (r !== before) {
        const from = r * gather.samples, of = (balanced ? peaks[r] * limit / Math.max(plot.peak, 1e-300) : limit) || 1;
        for (let row = 0; row < rows; ++row) {
          let value = 0;
          const n0 = Math.min(first[row], gather.samples - 1), n1 = Math.max(n0 + 1, first[row + 1]);
          for (let n = n0; n < n1; ++n) if (Math.abs(p[from + n]) > Math.abs(value)) value = p[from + n];
          line[row] = colour[Math.min(255, Math.max(0, Math.round(127.5 + 127.5 * value / of)))];
        }
        before = r;
      }
      for (let row = 0, at = column; row < rows; ++row, at += columns) pixels[at] = line[row];
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(canvas, left, top, w, h);
    if (picked === undefined) return;
    const x = plot.px(axis.first + picked * axis.step);
    context.strokeStyle = css("--curve-2");
    context.lineWidth = 1.5;
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(x, top); context.lineTo(x, top + h);
    context.stroke();
    context.setLineDash([]);
  }

  function pick(r) {
    picked = r;
    byId("gather-trace").value = String(r);
    const text = describe(r), trace = p.subarray(r * gather.samples, (r + 1) * gather.samples);
    byId("gather-trace").setAttribute("aria-valuetext", text);
    byId("gather-trace-text").textContent = String(1 + r * gather.every_receiver);
    byId("trace-title").textContent = `Trace · ${text}`;
    drawChart(byId("trace-chart"), Array.from(trace, (v, n) => [n * gather.dt_s, v]), ["t", "p"], {xlabel: "time [s]", ylabel: "pressure [Pa]"});
    const {df, amplitude} = meanSpectrum([trace], gather.samples, gather.dt_s), db = decibels(amplitude);
    drawChart(byId("trace-spectrum-chart"), upTo(df, db), ["f", "trace"], {xlabel: "frequency [Hz]", ylabel: "amplitude [dB]", valueRange: [-80, 3]});
    const csv = ["time_s,pressure_pa", ...Array.from(trace, (v, n) => `${Number((n * gather.dt_s).toPrecision(9))},${v}`)].join("\n");
    byId("trace-csv").href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv + "\n")}`;
    byId("trace-csv").download = `shot${shot.shot}_receiver${1 + r * gather.every_receiver}.csv`;
    plot.redraw();
  }

  const layOut = () => {
    axis = traceAxes(gather)[byId("gather-axis").value || 0];
    const ends = [axis.first - axis.step / 2, axis.first + (traces() - 0.5) * axis.step].sort((a, b) => a - b);
    plot.set({x: {label: axis.label, low: ends[0], high: ends[1], least: 3 * Math.abs(axis.step), step: Math.abs(axis.step)},
      y: {label: "time [s]", low: 0, high: (gather.samples - 1) * gather.dt_s, least: 8 * gather.dt_s}});
    plot.redraw();
  };
  const show = async () => {
    shot = recorded[byId("gather-shot").value || 0];
    gather = shot.gather;
    p = await tracesOf(gather);
    peaks = await numbers(gather.peaks);
    plot.peak = peaks.reduce((a, b) => Math.max(a, b), 0);
    clip = percentile(p, 0.97) || plot.peak || 1;
    byId("gather-canvas").setAttribute("aria-label", `Common-shot gather of shot ${shot.shot}. Arrow keys move a cross hair, Enter takes its trace, plus and minus zoom, 0 shows all.`);
    fillSelect(byId("gather-axis"), traceAxes(gather).map(a => a.label));
    byId("gather-trace").max = String(traces() - 1);
    layOut();
    pick(picked === undefined ? firstPick() : Math.min(picked, traces() - 1));
    await showSpectra(shot, p);
  };
  const repaint = () => { byId("gather-gain-text").textContent = `${byId("gather-gain").value} dB`; plot.redraw(); };
  fillSelect(byId("gather-shot"), recorded.map(s => `${s.shot}`));
  byId("gather-shot").value = String(Math.floor(recorded.length / 2));
  byId("gather-shot").addEventListener("change", show);
  byId("gather-axis").addEventListener("change", layOut);
  for (const id of ["gather-map", "gather-gain", "gather-balance"]) byId(id).addEventListener("input", repaint);
  byId("gather-in").addEventListener("click", () => plot.enlarge(1.5, plot.cursor || undefined));
  byId("gather-out").addEventListener("click", () => plot.enlarge(1 / 1.5, plot.cursor || undefined));
  byId("gather-reset").addEventListener("click", () => plot.reset());
  byId("gather-trace").addEventListener("input", () => pick(Number(byId("gather-trace").value)));
  repaint();
  await show();
}

// ---- spectra

/** Rows [f, …] up to where signals end, at most some thousand. */
function upTo(df, ...columns) {
  const highest = summary.sampling ? 1.6 * summary.sampling.highest_frequency_hz : Infinity;
  const end = Math.min(columns[0].length, Math.max(16, Math.ceil(highest / df))), every = Math.max(1, Math.floor(end / 1500));
  const rows = [];
  for (let i = 0; i < end; i += every) rows.push([i * df, ...columns.map(c => c[i])]);
  return rows;
}

async function showSpectra(shot, p) {
  const {gather} = shot, traces = gather.receivers_m.length, every = Math.ceil(traces / 240), chosen = [];
  for (let r = 0; r < traces; r += every) chosen.push(p.subarray(r * gather.samples, (r + 1) * gather.samples));
  const {df, amplitude} = meanSpectrum(chosen, gather.samples, gather.dt_s);
  const rows = upTo(df, decibels(amplitude)), labels = ["f", `mean of ${chosen.length} traces`], signals = [];
  for (const wavelet of shot.wavelets) {
    const signal = await numbers(wavelet.signal);
    const db = decibels(spectrumAt(signal, wavelet.dt_s, rows.map(r => r[0])));
    rows.forEach((row, i) => row.push(db[i]));
    labels.push(shot.wavelets.length > 1 ? `wavelet ${signals.length + 1}` : "wavelet");
    signals.push({wavelet, signal});
  }
  byId("spectrum-title").textContent = `Mean amplitude spectrum of shot ${shot.shot}`;
  drawChart(byId("spectrum-chart"), rows, labels, {xlabel: "frequency [Hz]", ylabel: "amplitude [dB]", valueRange: [-80, 3]});
  byId("wavelet-chart").parentElement.hidden = signals.length === 0;
  byId("spectra-text").textContent = "Decibels below the largest amplitude of each curve; the last twentieth of each trace is tapered." + (every > 1 ? ` The mean is of every ${ordinal(every)} trace.` : "");
  if (!signals.length) return;
  const {wavelet, signal} = signals[0];
  const all = [];
  for (let n = 0; n < Math.max(...signals.map(s => s.signal.length)); ++n) all.push([n * wavelet.dt_s, ...signals.map(s => (n < s.signal.length ? s.signal[n] : null))]);
  const first = wavelet.peak_frequency_hz > 0 ? `, peak at ${number(wavelet.peak_frequency_hz)} Hz` : "";
  byId("wavelet-title").textContent = `Source wavelet: ${[...new Set(signals.map(s => s.wavelet.type))].join(", ").replaceAll("_", " ")}${signals.length === 1 ? first : ""}, ${signal.length} samples`;
  drawChart(byId("wavelet-chart"), all, ["t", ...signals.map((_, i) => (signals.length > 1 ? `wavelet ${i + 1}` : "s(t)"))], {xlabel: "time [s]", ylabel: "amplitude"});
}

// ---- the theme

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function showTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  for (const plot of plots) plot.redraw();
  recolourCharts();
}

byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);

function fail(what) {
  byId("failure").hidden = false;
  byId("failure").textContent = `A part of the report could not be shown: ${what && what.message ? what.message : what}`;
}

async function begin() {
  fillHeader();
  fillContents();
  fillOverview();
  fillChecks();
  fillProvenance();
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack pictures and seismograms (2023 or newer is needed)");
  await Promise.all(shots.filter(s => s.gather).map(s => placeReceivers(s.gather)));
  await showModel();
  await showWavefield();
  await showGathers();
  showTheme();
  document.documentElement.dataset.ready = "yes";
}

begin().catch(fault => { fail(fault); console.error(fault); });
