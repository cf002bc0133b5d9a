// What the page says in words: header, overview, checks, provenance.

const report = JSON.parse(byId("report").textContent);
const shots = [...document.querySelectorAll("script.shot")].map(e => JSON.parse(e.textContent));
const summary = report.summary;

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
  if (survey) tile("Survey", `${count(survey.shots)} shot${survey.shots === 1 ? "" : "s"}`, `at most ${count(survey.most_receivers)} receivers per shot`);
  if (performance) tile("Speed", `${number(performance.gpt_per_s, 3)} Gpt/s`, "10⁹ grid-point updates per second");
  if (performance && performance.phase_s) tile("Time", seconds(Object.values(performance.phase_s).reduce((a, b) => a + b, 0)), "plan, model, time steps and outputs");
  if (memory) tile("Memory", bytes(memory.peak_bytes), `${bytes(memory.predicted_bytes)} predicted`);
  const largest = summary.largest_observed_pressure_pa;
  if (largest !== undefined) tile("Largest |p| observed", `${number(largest, 3)} Pa`, "in traces, snapshots and checks of stability");
  fillPhases(performance ? performance.phase_s || {} : {});
  if (backend) fillFacts(byId("what"), [
    ["Model", summary.model], ["Operator", backend.operator && backend.operator.replaceAll("_", " ")],
    ["Scheme", `order ${backend.space_order} in space, ${backend.coefficients} coefficients, ${backend.precision} precision`],
    ["Device", backend.hardware || backend.name], ["Kernel", [backend.kernel, backend.instruction_set].filter(Boolean).join(", ")],
    ["Threads", backend.threads], ["Numerical time dispersion", time && (time.dispersion_corrected ? "removed from the seismograms" : "left in the seismograms")]]);
}

/** The residual of iterations, of runs that have some. */
function showResiduals() {
  const residuals = (summary.imaging || {}).residuals;
  byId("residual-figure").hidden = !residuals;
  if (!residuals) return;
  const rows = residuals.map((r, i) => [i, r]);
  drawChart(byId("residual-chart"), rows, ["iteration", "residual"], {xlabel: "iteration", ylabel: "part of the data", valueRange: [0, 1.05], drawPoints: true});
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
  if (time) check(time.dispersion_corrected, time.dispersion_corrected ? "Numerical time dispersion was removed from the seismograms." : "The seismograms contain numerical time dispersion (time.dispersion_correction: false).");
  const largest = summary.largest_observed_pressure_pa;
  if (Number.isFinite(largest)) check(largest > 0, `The pressure stayed finite: at most ${number(largest, 3)} Pa in traces, snapshots and checks of stability.`);
  // Memory is compared with the tolerance that the forecast promises.
  if (memory && memory.predicted_bytes) check(Math.abs(memory.peak_bytes - memory.predicted_bytes) <= Math.max(0.03 * memory.peak_bytes, 2.5e6), `The run took ${bytes(memory.peak_bytes)} of memory; ${bytes(memory.predicted_bytes)} were predicted.`);
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
  const [receivers, lines, samples] = ["every_receiver", "every_line", "every_sample"].map(name => Math.max(1, ...g.map(s => s[name])));
  if (lines > 1) notes.push(`gathers show every ${ordinal(lines)} line of receivers`);
  if (receivers > 1) notes.push(`gathers show every ${ordinal(receivers)} receiver`);
  if (samples > 1) notes.push(`gathers show every ${ordinal(samples)} sample`);
  if (shots.some(s => s.movies.length)) notes.push("wavefields are stored with 8 bits on a square-root scale, traces with 16 bits");
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
