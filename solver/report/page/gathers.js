// The section "Gathers".

/** The axes that the traces of a gather may be laid out along: those with even steps, and the number of the trace. */
function traceAxes(gather) {
  const axes = [];
  const add = (label, values) => {
    const step = values[1] - values[0];
    if (values.length > 1 && Math.abs(step) > 0 && values.every((v, i) => i === 0 || Math.abs(v - values[i - 1] - step) <= 0.01 * Math.abs(step)))
      axes.push({label, first: values[0], step: (values[values.length - 1] - values[0]) / (values.length - 1)});
  };
  ["x", "y", "z"].forEach((name, a) => add(`Receiver ${name} (m)`, gather.receivers_m.map(r => r[a])));
  add("Offset (m)", gather.offsets_m);
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

/** The pixels of a gather in a view. Where several samples share one the largest is shown, so that no arrival vanishes. */
class GatherRaster {
  constructor(gather, traces, axis, view, columns, rows) {
    Object.assign(this, {gather, traces, axis, view, columns, rows});
    const at = row => Math.round((view.y0 + row / rows * (view.y1 - view.y0)) / gather.dt_s);
    this.first = Int32Array.from({length: rows + 1}, (_, row) => Math.min(gather.samples, Math.max(0, at(row))));
  }

  /** limit(r) is the pressure that has full colour in trace r. */
  paint(table, limit) {
    const canvas = document.createElement("canvas");
    canvas.width = this.columns;
    canvas.height = this.rows;
    const context = canvas.getContext("2d"), image = context.createImageData(this.columns, this.rows);
    const pixels = new Uint32Array(image.data.buffer), line = new Uint32Array(this.rows);
    const {view, axis} = this;
    for (let column = 0, before = -1; column < this.columns; ++column) {
      const r = traceAt(this.gather, axis, view.x0 + (column + 0.5) / this.columns * (view.x1 - view.x0));
      if (r !== before) this.paintTrace(r, limit(r) || 1, table, line);
      before = r;
      for (let row = 0, at = column; row < this.rows; ++row, at += this.columns) pixels[at] = line[row];
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  paintTrace(r, limit, table, line) {
    const {traces, first} = this, from = r * this.gather.samples;
    for (let row = 0; row < this.rows; ++row) {
      const n0 = Math.min(first[row], this.gather.samples - 1), n1 = Math.max(n0 + 1, first[row + 1]);
      let value = 0;
      for (let n = n0; n < n1; ++n) if (Math.abs(traces[from + n]) > Math.abs(value)) value = traces[from + n];
      line[row] = table[Math.min(255, Math.max(0, Math.round(127.5 + 127.5 * value / limit)))];
    }
  }
}

/** The trace nearest to a place on an axis. */
function traceAt(gather, axis, x) {
  return Math.min(Math.max(Math.round((x - axis.first) / axis.step), 0), gather.receivers_m.length - 1);
}

class GatherView {
  constructor(shots) {
    this.shots = shots;
    this.plot = new Plot(byId("gather-canvas"), {
      x: {low: 0, high: 1}, y: {low: 0, high: 1}, zoom: true, readout: byId("gather-readout"),
      draw: (plot, context) => this.draw(plot, context), read: (x, y) => this.read(x, y),
      pick: x => this.pick(traceAt(this.gather, this.axis, x)),
    });
    plots.push(this.plot);
    fillSelect(byId("gather-shot"), shots.map(s => `${s.shot}`));
    byId("gather-shot").value = String(Math.floor(shots.length / 2));
    byId("gather-shot").addEventListener("change", () => this.show());
    byId("gather-axis").addEventListener("change", () => this.layOut());
    for (const id of ["gather-map", "gather-gain", "gather-balance"]) byId(id).addEventListener("input", () => this.repaint());
    byId("gather-in").addEventListener("click", () => this.plot.enlarge(1.5, this.plot.cursor || undefined));
    byId("gather-out").addEventListener("click", () => this.plot.enlarge(1 / 1.5, this.plot.cursor || undefined));
    byId("gather-reset").addEventListener("click", () => this.plot.reset());
    byId("gather-trace").addEventListener("input", () => this.pick(Number(byId("gather-trace").value)));
  }

  async show() {
    const shot = this.shots[byId("gather-shot").value || 0], {gather} = shot;
    const p = await tracesOf(gather), peaks = await numbers(gather.peaks), peak = peaks.reduce((a, b) => Math.max(a, b), 0);
    Object.assign(this, {shot, gather, p, peaks, peak, clip: percentile(p, 0.97) || peak || 1});
    byId("gather-canvas").setAttribute("aria-label", `Common-shot gather of shot ${shot.shot}. Arrow keys move a cross hair, Enter takes its trace, plus and minus zoom, 0 shows all.`);
    fillSelect(byId("gather-axis"), traceAxes(gather).map(a => a.label));
    byId("gather-trace").max = String(gather.receivers_m.length - 1);
    this.layOut();
    this.repaint();
    this.pick(this.picked === undefined ? this.firstPick() : Math.min(this.picked, gather.receivers_m.length - 1));
    await showSpectra(shot, p);
  }

  layOut() {
    const {gather} = this, axis = this.axis = traceAxes(gather)[byId("gather-axis").value || 0];
    const ends = [axis.first - axis.step / 2, axis.first + (gather.receivers_m.length - 0.5) * axis.step].sort((a, b) => a - b);
    this.plot.set({
      x: {label: axis.label, low: ends[0], high: ends[1], least: 3 * Math.abs(axis.step), step: Math.abs(axis.step)},
      y: {label: "Time (s)", low: 0, high: Math.max(gather.end_s, gather.dt_s), least: 8 * gather.dt_s},
    });
    this.plot.redraw();
  }

  repaint() {
    byId("gather-gain-text").textContent = `${byId("gather-gain").value} dB`;
    this.plot.redraw();
  }

  draw(plot, context) {
    if (!this.axis) return;
    const {left, top, w, h} = plot.box, scale = Math.min(plot.ratio, 2);
    const table = colours(byId("gather-map").value === "grey" ? kSeismicGrey : kRedBlue).map(([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0);
    const limit = this.clip / 10 ** (byId("gather-gain").value / 20), balanced = byId("gather-balance").checked;
    const raster = new GatherRaster(this.gather, this.p, this.axis, plot.view, Math.max(1, Math.round(w * scale)), Math.max(1, Math.round(h * scale)));
    context.drawImage(raster.paint(table, r => (balanced ? limit * this.peaks[r] / (this.peak || 1) : limit)), left, top, w, h);
    if (this.picked === undefined) return;
    const x = plot.px(this.axis.first + this.picked * this.axis.step);
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
    const sizes = this.gather.offsets_m.map(Math.abs), wanted = 0.4 * Math.max(...sizes);
    return sizes.reduce((best, size, r) => (Math.abs(size - wanted) < Math.abs(sizes[best] - wanted) ? r : best), 0);
  }

  describe(r) {
    const {gather} = this, [x, y, z] = gather.receivers_m[r].map(v => number(v));
    const across = summary.grid && summary.grid.dimensions === 2 ? "" : `y ${y}, `;
    return `Receiver ${this.receiver(r)} of ${gather.receivers} · x ${x}, ${across}z ${z} m · offset ${number(gather.offsets_m[r])} m`;
  }

  /** The number of the receiver of a trace, from 1. */
  receiver(r) { return 1 + r * this.gather.every_receiver; }

  read(x, y) {
    const {gather} = this, r = traceAt(gather, this.axis, x);
    const n = Math.min(Math.max(Math.round(y / gather.dt_s), 0), gather.samples - 1);
    return `${this.describe(r)} · t ${number(n * gather.dt_s)} s · p ${number(this.p[r * gather.samples + n], 3)} Pa`;
  }

  pick(r) {
    const {gather} = this, text = this.describe(r), trace = this.p.subarray(r * gather.samples, (r + 1) * gather.samples);
    this.picked = r;
    byId("gather-trace").value = String(r);
    byId("gather-trace").setAttribute("aria-valuetext", text);
    byId("gather-trace-text").textContent = String(this.receiver(r));
    byId("trace-title").textContent = `Trace · ${text}`;
    drawChart(byId("trace-chart"), Array.from(trace, (v, n) => [n * gather.dt_s, v]), ["t", "p"], {xlabel: "Time (s)", ylabel: "Pressure (Pa)", dateWindow: [0, Math.max(gather.end_s, gather.dt_s)]});
    const {df, amplitude} = meanSpectrum([trace], gather.samples, gather.dt_s);
    drawChart(byId("trace-spectrum-chart"), upTo(df, decibels(amplitude)), ["f", "trace"], {xlabel: "Frequency (Hz)", ylabel: "Amplitude (dB re maximum)", valueRange: [-80, 3]});
    const csv = ["time_s,pressure_pa", ...Array.from(trace, (v, n) => `${Number((n * gather.dt_s).toPrecision(9))},${v}`)].join("\n");
    byId("trace-csv").href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv + "\n")}`;
    byId("trace-csv").download = `shot${this.shot.shot}_receiver${this.receiver(r)}.csv`;
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
