// The section "Gathers".

/** The axes that the traces of a line may be laid out along, those with even steps; first that of a picture. */
function traceAxes(gather, line) {
  const axes = [], part = list => list.slice(line.first, line.first + line.count), numbered = part(gather.numbers).map(n => n + 1);
  const add = (label, values) => {
    const step = values[1] - values[0];
    if (values.length > 1 && Math.abs(step) > 0 && values.every((v, i) => i === 0 || Math.abs(v - values[i - 1] - step) <= 0.01 * Math.abs(step)))
      axes.push({label, first: values[0], step: (values[values.length - 1] - values[0]) / (values.length - 1)});
  };
  ["x", "y", "z"].forEach((name, a) => add(`Receiver ${name} (m)`, part(gather.receivers_m).map(r => r[a])));
  add("Offset (m)", part(gather.offsets_m));
  add("receiver", numbered);
  if (!axes.length) axes.push(line.count > 1 ? {label: "trace", first: 1, step: 1} : {label: "receiver", first: numbered[0], step: 1});
  const wanted = gather.by_offset ? "Offset (m)" : line.axis;
  return axes.sort((a, b) => (b.label === wanted) - (a.label === wanted));
}

/** The lines of a gather, and all of its receivers where these are not one of them. */
function linesOf(gather) {
  const kept = gather.receivers_m.length, lines = gather.lines.map((line, i) => ({...line,
    axis: line.axis.replace("[", "(").replace("]", ")"),
    label: `${line.at || `line ${i + 1}`}${i === gather.shown ? ", nearest to the source" : ""}`}));
  if (lines.length > 1 || lines[0].count < kept)
    lines.push({first: 0, count: kept, axis: "receiver", at: "", wiggles: false, columns: true, label: "all, by number"});
  return lines;
}

/** All traces as float32 [trace][sample]. */
async function tracesOf(gather) {
  const q = await numbers(gather.traces), peaks = await numbers(gather.peaks), p = new Float32Array(q.length);
  for (let r = 0, i = 0; r < peaks.length; ++r) for (let n = 0; n < gather.samples; ++n, ++i) p[i] = q[i] / 32767 * peaks[r];
  return p;
}

/** The positions and numbers of a gather's receivers, from the blocks that hold them. */
async function placeReceivers(gather) {
  const xyz = await numbers(gather.positions);
  gather.numbers = Array.from(await numbers(gather.numbers));
  gather.offsets_m = Array.from(await numbers(gather.offsets));
  gather.receivers_m = gather.offsets_m.map((_, r) => [xyz[3 * r], xyz[3 * r + 1], xyz[3 * r + 2]]);
}

/**
 * The pixels of a line of a gather in a view. Where several samples share one the largest is shown, so that no arrival
 * vanishes; between traces that are alike there are values in between, as in pictures.
 */
class GatherRaster {
  constructor(gather, line, traces, axis, view, columns, rows) {
    Object.assign(this, {gather, line, traces, axis, view, columns, rows, made: []});
    const at = row => Math.round((view.y0 + row / rows * (view.y1 - view.y0)) / gather.dt_s);
    this.first = Int32Array.from({length: rows + 1}, (_, row) => Math.min(gather.samples, Math.max(0, at(row))));
  }

  /** limit(i) is the pressure that has full colour in trace i of the line. */
  paint(table, limit) {
    const canvas = document.createElement("canvas");
    canvas.width = this.columns;
    canvas.height = this.rows;
    const context = canvas.getContext("2d"), image = context.createImageData(this.columns, this.rows);
    const pixels = new Uint32Array(image.data.buffer);
    this.limit = limit;
    for (let column = 0; column < this.columns; ++column) {
      const values = this.valuesOf(column);
      for (let row = 0, at = column; row < this.rows; ++row, at += this.columns)
        pixels[at] = table[Math.min(kColours - 1, Math.max(0, Math.round(kMiddle + kMiddle * values[row])))];
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  valuesOf(column) {
    const {view, axis, line} = this, place = c => (view.x0 + c / this.columns * (view.x1 - view.x0) - axis.first) / axis.step;
    const [low, high] = [place(column), place(column + 1)].sort((a, b) => a - b), within = i => Math.min(Math.max(i, 0), line.count - 1);
    if (high - low > 1) {
      let values = this.rowsOf(within(Math.round(low)));
      for (let i = Math.round(low) + 1; i <= within(Math.round(high) - 1); ++i)
        values = values.map((v, row) => (Math.abs(this.rowsOf(i)[row]) > Math.abs(v) ? this.rowsOf(i)[row] : v));
      return values;
    }
    const middle = Math.min(Math.max((low + high) / 2, 0), line.count - 1);
    if (line.columns) return this.rowsOf(Math.round(middle));
    const left = this.rowsOf(Math.floor(middle)), right = this.rowsOf(Math.ceil(middle)), w = middle % 1;
    return left.map((v, row) => v + w * (right[row] - v));
  }

  /** The values of a trace in the rows, of which full colour is 1. The last two are kept. */
  rowsOf(i) {
    const known = this.made.find(m => m.i === i);
    if (known) return known.values;
    const {traces, first} = this, {samples} = this.gather, from = (this.line.first + i) * samples, limit = this.limit(i) || 1;
    const values = new Float32Array(this.rows);
    for (let row = 0; row < this.rows; ++row) {
      const n0 = Math.min(first[row], samples - 1), n1 = Math.max(n0 + 1, first[row + 1]);
      for (let n = n0; n < n1; ++n) if (Math.abs(traces[from + n]) > Math.abs(values[row])) values[row] = traces[from + n];
      values[row] /= limit;
    }
    this.made = [...this.made.slice(-1), {i, values}];
    return values;
  }
}

/** So few wiggles that each has room for its largest swing stay apart. */
const kMostApart = 16;

/** Traces as lines, filled where they are positive; limit(i) deflects trace i by nearly a spacing, and half as much again is the most. */
function drawWiggles(plot, context, gather, line, traces, axis, limit) {
  const {y0, y1} = plot.view, from = Math.max(0, Math.floor(y0 / gather.dt_s)), to = Math.min(gather.samples - 1, Math.ceil(y1 / gather.dt_s));
  const reach = (line.count > kMostApart ? 0.9 : 0.48) * Math.abs(plot.px(axis.step) - plot.px(0));
  context.fillStyle = "#ffffff";
  context.fillRect(plot.box.left, plot.box.top, plot.box.w, plot.box.h);
  context.fillStyle = context.strokeStyle = "#202020";
  context.lineWidth = 0.8;
  for (let i = 0; i < line.count; ++i) {
    const x = plot.px(axis.first + i * axis.step), trace = (line.first + i) * gather.samples, most = limit(i) || 1;
    if (x < plot.box.left - 2 * reach || x > plot.box.left + plot.box.w + 2 * reach) continue;
    const wiggle = new Path2D(), positive = new Path2D();
    positive.moveTo(x, plot.py(from * gather.dt_s));
    for (let n = from, before = 0; n <= to; ++n) {
      const value = traces[trace + n], y = plot.py(n * gather.dt_s), shift = Math.min(1.5, Math.max(-1.5, value / most)) * reach;
      if (before * value < 0) positive.lineTo(x, y - (y - plot.py((n - 1) * gather.dt_s)) * value / (value - before));
      positive.lineTo(x + Math.max(0, shift), y);
      wiggle.lineTo(x + shift, y);
      before = value;
    }
    positive.lineTo(x, plot.py(to * gather.dt_s));
    context.fill(positive);
    context.stroke(wiggle);
  }
}

/** The trace of a line nearest to a place on an axis. */
function traceAt(line, axis, x) {
  return Math.min(Math.max(Math.round((x - axis.first) / axis.step), 0), line.count - 1);
}

class GatherView {
  constructor(shots) {
    this.shots = shots;
    this.plot = new Plot(byId("gather-canvas"), {
      x: {low: 0, high: 1}, y: {low: 0, high: 1}, zoom: true, readout: byId("gather-readout"),
      draw: (plot, context) => this.draw(plot, context), read: (x, y) => this.read(x, y),
      pick: x => this.pick(traceAt(this.line, this.axis, x)),
    });
    plots.push(this.plot);
    fillSelect(byId("gather-shot"), shots.map(s => `${s.shot}`));
    byId("gather-shot").value = String(Math.floor(shots.length / 2));
    byId("gather-shot").addEventListener("change", () => this.show());
    byId("gather-line").addEventListener("change", () => this.takeLine());
    byId("gather-axis").addEventListener("change", () => this.layOut());
    for (const id of ["gather-map", "gather-gain", "gather-balance"]) byId(id).addEventListener("input", () => this.repaint());
    byId("gather-in").addEventListener("click", () => this.plot.enlarge(1.5, this.plot.cursor || undefined));
    byId("gather-out").addEventListener("click", () => this.plot.enlarge(1 / 1.5, this.plot.cursor || undefined));
    byId("gather-reset").addEventListener("click", () => this.plot.reset());
    byId("gather-trace").addEventListener("input", () => this.pick(Number(byId("gather-trace").value)));
  }

  async show() {
    const shot = this.shots[byId("gather-shot").value || 0], {gather} = shot, lines = linesOf(gather);
    Object.assign(this, {shot, gather, lines, p: await tracesOf(gather), peaks: await numbers(gather.peaks)});
    fillSelect(byId("gather-line"), lines.map(line => line.label));
    byId("gather-line").value = String(gather.shown);
    await this.takeLine();
  }

  async takeLine() {
    const {gather, p} = this, line = this.line = this.lines[byId("gather-line").value || 0];
    const values = p.subarray(line.first * gather.samples, (line.first + line.count) * gather.samples), peak = percentile(values, 1);
    this.peak = peak;
    this.clips = {colours: percentile(values, 0.96) || peak || 1, wiggles: percentile(values, line.count > kMostApart ? 0.99 : 1) || peak || 1};
    byId("gather-canvas").setAttribute("aria-label", `Common-shot gather of shot ${this.shot.shot}${line.at ? `, ${line.at}` : ""}. Arrow keys move a cross hair, Enter takes its trace, plus and minus zoom, 0 shows all.`);
    fillSelect(byId("gather-axis"), traceAxes(gather, line).map(a => a.label));
    if ((byId("gather-map").value === "wiggles") !== line.wiggles) byId("gather-map").value = line.wiggles ? "wiggles" : "grey";
    byId("gather-trace").max = String(line.count - 1);
    this.layOut();
    this.repaint();
    this.pick(this.picked === undefined ? this.firstPick() : Math.min(this.picked, line.count - 1));
    await showSpectra(this.shot, line, p);
  }

  layOut() {
    const {gather, line} = this, axis = this.axis = traceAxes(gather, line)[byId("gather-axis").value || 0];
    const ends = [axis.first - axis.step / 2, axis.first + (line.count - 0.5) * axis.step].sort((a, b) => a - b);
    this.plot.set({
      x: {label: axis.label, low: ends[0], high: ends[1], least: 3 * Math.abs(axis.step), step: Math.abs(axis.step)},
      y: {label: "Time (s)", low: 0, high: Math.max(gather.end_s, gather.dt_s), least: 8 * gather.dt_s},
    });
    this.plot.redraw();
  }

  get wiggles() { return byId("gather-map").value === "wiggles"; }
  get balanced() { return byId("gather-balance").checked; }
  /** The pressure that has full colour, or deflects wiggles by a spacing. */
  get limit() { return (this.wiggles ? this.clips.wiggles : this.clips.colours) / 10 ** (byId("gather-gain").value / 20); }
  get table() { return colours(byId("gather-map").value === "redblue" ? kRedBlue : kSeismic); }

  repaint() {
    const {limit, table, wiggles} = this;
    const text = value => (this.balanced ? `${number(value / (this.peak || 1), 2)} of the peak of each trace` : pressureText(value, 2));
    byId("gather-gain-text").textContent = `${byId("gather-gain").value} dB`;
    byId("gather-bar").hidden = wiggles;
    paintBar(byId("gather-bar"), i => table[i], this.peak > limit);
    byId("gather-range").replaceChildren(...(wiggles ? [element("span", `One trace spacing = ${text(limit)}`)] : [-1, 0, 1].map(s => element("span", s ? text(s * limit) : "0"))));
    this.plot.redraw();
  }

  draw(plot, context) {
    if (!this.axis) return;
    const {left, top, w, h} = plot.box, scale = Math.min(plot.ratio, 2), {gather, line, p, axis} = this;
    const limit = i => (this.balanced ? this.limit * this.peaks[line.first + i] / (this.peak || 1) : this.limit);
    if (this.wiggles) {
      drawWiggles(plot, context, gather, line, p, axis, limit);
    } else {
      const table = this.table.map(([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0);
      const raster = new GatherRaster(gather, line, p, axis, plot.view, Math.max(1, Math.round(w * scale)), Math.max(1, Math.round(h * scale)));
      context.drawImage(raster.paint(table, limit), left, top, w, h);
    }
    if (this.picked === undefined) return;
    const x = plot.px(axis.first + this.picked * axis.step);
    context.strokeStyle = css("--curve-2");
    context.lineWidth = 1.5;
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + h);
    context.stroke();
    context.setLineDash([]);
  }

  /** At two fifths of the largest offset reflections stand beside the direct wave. */
  firstPick() {
    const {first, count} = this.line, sizes = this.gather.offsets_m.slice(first, first + count).map(Math.abs), wanted = 0.4 * Math.max(...sizes);
    return sizes.reduce((best, size, i) => (Math.abs(size - wanted) < Math.abs(sizes[best] - wanted) ? i : best), 0);
  }

  describe(i) {
    const {gather} = this, r = this.line.first + i, [x, y, z] = gather.receivers_m[r].map(v => number(v));
    const across = summary.grid && summary.grid.dimensions === 2 ? "" : `y ${y}, `;
    return `Receiver ${this.receiver(i)} of ${gather.receivers} · x ${x}, ${across}z ${z} m · offset ${number(gather.offsets_m[r])} m`;
  }

  /** The number of the receiver of a trace of the line, from 1. */
  receiver(i) { return 1 + this.gather.numbers[this.line.first + i]; }

  read(x, y) {
    const {gather, line} = this, i = traceAt(line, this.axis, x);
    const n = Math.min(Math.max(Math.round(y / gather.dt_s), 0), gather.samples - 1);
    return `${this.describe(i)} · t ${number(n * gather.dt_s)} s · p ${pressureText(this.p[(line.first + i) * gather.samples + n], 3)}`;
  }

  pick(i) {
    const {gather} = this, r = this.line.first + i, text = this.describe(i), trace = this.p.subarray(r * gather.samples, (r + 1) * gather.samples);
    this.picked = i;
    byId("gather-trace").value = String(i);
    byId("gather-trace").setAttribute("aria-valuetext", text);
    byId("gather-trace-text").textContent = String(this.receiver(i));
    byId("trace-title").textContent = `Trace · ${text}`;
    const unit = pressureUnit(this.peaks[r]);
    drawChart(byId("trace-chart"), Array.from(trace, (v, n) => [n * gather.dt_s, v / unit.pa]), ["t", "p"], {xlabel: "Time (s)", ylabel: `Pressure (${unit.name})`, dateWindow: [0, Math.max(gather.end_s, gather.dt_s)]});
    const {df, amplitude} = amplitudeSpectrum([trace], gather.samples, gather.dt_s);
    drawChart(byId("trace-spectrum-chart"), upTo(df, decibels(amplitude)), ["f", "trace"], {xlabel: "Frequency (Hz)", ylabel: "Amplitude (dB re maximum)", valueRange: [-80, 3]});
    const csv = ["time_s,pressure_pa", ...Array.from(trace, (v, n) => `${Number((n * gather.dt_s).toPrecision(9))},${v}`)].join("\n");
    byId("trace-csv").href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv + "\n")}`;
    byId("trace-csv").download = `shot${this.shot.shot}_receiver${this.receiver(i)}.csv`;
    this.plot.redraw();
  }
}

async function showGathers() {
  const recorded = shots.filter(s => s.gather);
  byId("gathers-none").hidden = recorded.length > 0;
  byId("gathers-body").hidden = recorded.length === 0;
  byId("spectra").hidden = recorded.length === 0;
  if (recorded.length) await new GatherView(recorded).show();
}
