// The section "Wavefield": frames of the pressure over the model.

// As the pictures of a run have them: io/pictures/layout.cpp.
const kPositive = [201, 49, 30], kNegative = [73, 94, 221];
const opacity = share => 0.9 * Math.min(1, share) ** 0.8;

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

/** Pixels, as 32-bit numbers, of the values -128 … 127 of a frame; index with the value & 255. */
function frameColours(peak, limit) {
  const table = new Uint8ClampedArray(4 * 256);
  for (let q = -128; q < 128; ++q) {
    const strength = (q / 127) ** 2 * peak / limit;
    table.set([...(q > 0 ? kPositive : kNegative), 255 * opacity(strength)], 4 * (q & 255));
  }
  return new Uint32Array(table.buffer);
}

class WavefieldPlayer {
  constructor(shots) {
    this.shots = shots;
    this.slider = byId("movie-time");
    this.raster = document.createElement("canvas");
    this.plot = new Plot(byId("movie-canvas"), {
      x: {low: 0, high: 1}, y: {low: 0, high: 1}, equal: true, zoom: true, readout: byId("movie-readout"),
      draw: (plot, context) => this.draw(plot, context), read: (x, y) => this.read(x, y),
    });
    plots.push(this.plot);
    fillSelect(byId("movie-shot"), shots.map(s => `${s.shot}`));
    byId("movie-shot").value = String(Math.floor(shots.length / 2));
    this.listPlanes();
    this.listen();
  }

  listen() {
    byId("movie-play").addEventListener("click", () => (this.timer ? this.stop() : this.start()));
    byId("movie-speed").addEventListener("change", () => { if (this.timer) this.start(); });
    this.slider.addEventListener("input", () => { this.stop(); this.paint(); });
    for (const id of ["movie-gain", "movie-scale"]) byId(id).addEventListener("input", () => this.paint());
    byId("movie-plane").addEventListener("change", () => this.show());
    byId("movie-shot").addEventListener("change", () => {
      const plane = byId("movie-plane").value;
      this.listPlanes();
      byId("movie-plane").value = plane;
      this.show();
    });
  }

  listPlanes() {
    this.shot = this.shots[byId("movie-shot").value || 0];
    fillSelect(byId("movie-plane"), this.shot.movies.map(m => planeLabel(m.plane)));
  }

  async show() {
    const movie = this.shot.movies[byId("movie-plane").value || 0], {plane} = movie, model = backgroundOf(plane);
    const frames = await numbers(movie.frames), peaks = await numbers(movie.peaks);
    const varying = model && model.parameters.find(p => !p.image && !uniform(p));
    const background = varying ? await modelRaster(model, varying, kPaleGreys) : null;
    Object.assign(this, {movie, plane, model, frames, peaks, background, points: plane.horizontal.count * plane.vertical.count});
    byId("movie-model").hidden = !varying;
    if (varying) {
      paintBar(byId("movie-model-bar"), i => colours(kPaleGreys)[i]);
      byId("movie-model-range").replaceChildren(...[varying.min, varying.max].map(v => element("span", `${number(v)} ${varying.unit}`)));
    }
    this.clips = movie.times_s.map((_, i) => frameClip(frames, i * this.points, this.points, peaks[i]));
    const heard = this.clips.filter(c => c > 0).sort((a, b) => a - b);
    this.common = heard.length ? heard[Math.floor(heard.length / 2)] : 1;
    this.raster.width = plane.horizontal.count;
    this.raster.height = plane.vertical.count;
    const end = movie.times_s.length - 1;
    this.slider.max = String(end);
    this.slider.value = String(Math.min(Number(this.slider.value) || Math.floor(0.4 * end), end));
    this.plot.set(planeAxes(plane, false));
    byId("movie-canvas").setAttribute("aria-label", `Pressure of shot ${this.shot.shot} on the plane ${planeLabel(plane)}. Arrow keys move a cross hair, plus and minus zoom.`);
    byId("movie-legend").textContent = [`Red: pressure is positive, blue: negative${varying ? `, over the ${varying.quantity} in grey` : ""}`, "★ source, ▽ receivers", sidesText(plane, false)].filter(Boolean).join(" · ");
    this.paint();
  }

  get frame() { return Number(this.slider.value); }

  /** The pressure that has full colour. */
  get limit() {
    return (byId("movie-scale").value === "one" ? this.common : this.clips[this.frame]) / 10 ** (byId("movie-gain").value / 20) || 1;
  }

  paint() {
    const i = this.frame, from = i * this.points, table = frameColours(this.peaks[i], this.limit);
    const context = this.raster.getContext("2d"), image = context.createImageData(this.raster.width, this.raster.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let k = 0; k < pixels.length; ++k) pixels[k] = table[this.frames[from + k] & 255];
    context.putImageData(image, 0, 0);
    const decimals = Math.max(3, Math.ceil(-Math.log10(this.movie.times_s[0] || 1)) + 1);
    const time = `${this.movie.times_s[i].toFixed(decimals)} s`;
    byId("movie-time-text").textContent = time;
    this.slider.setAttribute("aria-valuetext", time);
    byId("movie-gain-text").textContent = `${byId("movie-gain").value} dB`;
    byId("movie-range").replaceChildren(...[-1, 0, 1].map(s => element("span", s ? pressureText(s * this.limit, 2) : "0")));
    paintBar(byId("movie-bar"), k => {
      const share = opacity(Math.abs(k - kMiddle) / kMiddle);
      return (k > kMiddle ? kPositive : kNegative).map(c => Math.round(c * share + 250 * (1 - share)));
    }, this.peaks[i] > this.limit);
    if (this.plot.cursor) this.plot.say(this.read(this.plot.cursor.x, this.plot.cursor.y));
    this.plot.redraw();
  }

  draw(plot, context) {
    if (!this.movie) return;
    if (this.background) {
      drawPlane(plot, context, this.model, this.background, false);
    } else {
      context.fillStyle = kPaleGreys[0];
      context.fillRect(plot.box.left, plot.box.top, plot.box.w, plot.box.h);
    }
    drawPlane(plot, context, this.plane, this.raster, true);
    drawLayers(plot, context, this.plane);
    if (this.shot.gather) drawMarks(plot, context, projected(this.plane, this.shot.gather.receivers_m), "triangle", kReceiverColour);
    drawMarks(plot, context, projected(this.plane, this.shot.sources_m), "star", kSourceColour);
  }

  read(x, y) {
    const at = indexAt(this.plane, x, y);
    if (at < 0) return placeText(this.plane, x, y);
    const root = this.frames[this.frame * this.points + at] / 127;
    return `${placeText(this.plane, x, y)}: p ${pressureText(Math.sign(root) * root * root * this.peaks[this.frame], 3)}`;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.button("▶", "Play");
  }

  start() {
    this.stop();
    this.timer = setInterval(() => {
      this.slider.value = String((this.frame + 1) % this.movie.times_s.length);
      this.paint();
    }, 1000 / Number(byId("movie-speed").value));
    this.button("❚❚", "Pause");
  }

  button(sign, name) {
    byId("movie-play").textContent = sign;
    byId("movie-play").setAttribute("aria-label", name);
  }
}

async function showWavefield() {
  const filmed = shots.filter(s => s.movies.length);
  byId("wavefield-none").hidden = filmed.length > 0;
  byId("wavefield-body").hidden = filmed.length === 0;
  if (filmed.length) await new WavefieldPlayer(filmed).show();
}
