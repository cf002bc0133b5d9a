// Pictures of fields with axes, zoom, a cross hair and a colour bar, drawn on canvases.

const kViridis = ["#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6dcd59", "#b4de2c", "#fde725"];
const kPaleGreys = ["#fafafa", "#d8d8d8"];  // under wavefields: water is all but white
const kSeismic = ["#ffffff", "#808080", "#000000"];  // positive black
const kSourceColour = "#e11e1e", kReceiverColour = "#ffc828";  // as those of pictures: io/pictures/picture.cpp
const kRedBlue = ["#1f4e9c", "#7fa6d6", "#f7f7f7", "#e08a77", "#a3151b"];

/** 257 colours, [r, g, b] each, between the anchors of a map: an odd number, so that the middle has its own. */
const kColours = 257, kMiddle = 128;
function colours(anchors) {
  const rgb = anchors.map(a => [1, 3, 5].map(i => parseInt(a.slice(i, i + 2), 16)));
  return Array.from({length: kColours}, (_, i) => {
    const at = i / (kColours - 1) * (rgb.length - 1), k = Math.min(rgb.length - 2, Math.floor(at)), w = at - k;
    return rgb[k].map((c, j) => Math.round(c + w * (rgb[k + 1][j] - c)));
  });
}

/** A canvas of one pixel a value; paint(i, pixels, 4 i) sets value i. */
function paintRaster(columns, rows, paint) {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
  for (let i = 0; i < columns * rows; ++i) paint(i, image.data, 4 * i);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** A bar of colours, outlined since some are those of the page; where values lie beyond its ends these are arrows. */
function paintBar(canvas, colour, clipped = false) {
  const w = canvas.width = 832, h = canvas.height = 26, tip = clipped ? 20 : 1, context = canvas.getContext("2d");
  const strip = paintRaster(kColours, 1, (i, pixels, at) => pixels.set([...colour(i), 255], at));
  context.moveTo(1, h / 2);
  for (const [x, y] of [[tip, 1], [w - tip, 1], [w - 1, h / 2], [w - tip, h - 1], [tip, h - 1]]) context.lineTo(x, y);
  context.closePath();
  context.save();
  context.clip();
  context.drawImage(strip, 0, 0, w, h);
  context.restore();
  context.strokeStyle = "#808080";
  context.stroke();
}

/**
 * A plane with axes on a canvas. Options: x and y, {label, low, high} each, y downwards unless it is `up`; equal, whether metres are as
 * long along both; zoom, whether the view may change; draw(plot, context) paints what is in it; read(x, y) tells what
 * is at a place; pick(x, y) takes one that was clicked or confirmed with Enter.
 */
class Plot {
  constructor(canvas, options) {
    this.canvas = canvas;
    this.hint = options.pick
      ? "Point at the gather to read values, click to take a trace. Zoom with + and −, the wheel or two fingers, and drag."
      : "Point at the section to read values. Zoom with + and −, the wheel or two fingers, and drag.";
    this.set(options);
    this.pointers = new Map();
    new ResizeObserver(() => this.redraw()).observe(canvas.parentElement);
    canvas.addEventListener("pointermove", e => this.onMove(e));
    canvas.addEventListener("pointerdown", e => this.onDown(e));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, e => this.onUp(e));
    canvas.addEventListener("pointerleave", () => { if (!this.pointers.size) this.point(null); });
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", e => this.onWheel(e), {passive: false});
    canvas.addEventListener("keydown", e => this.onKey(e));
  }

  /** Other axes or contents; the view is all of it again unless the axes stay. */
  set(options) {
    const axes = JSON.stringify([options.x, options.y]);
    const same = axes === this.axes;
    Object.assign(this, options);
    this.axes = axes;
    if (!same) {
      this.view = {x0: this.x.low, x1: this.x.high, y0: this.y.low, y1: this.y.high};
      this.cursor = null;
      this.say("");
    }
  }

  isWhole() {
    const {x0, x1, y0, y1} = this.view;
    return x0 === this.x.low && x1 === this.x.high && y0 === this.y.low && y1 === this.y.high;
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw_(); });
  }

  layout(width) {
    const left = 58, right = 20, top = 8, bottom = 42;
    const inner = width - left - right;
    if (inner < 40) return false;
    const most = Math.max(220, Math.min(640, innerHeight * 0.72));
    let w = inner, h = Math.min(most, Math.max(300, inner * 0.6));
    if (this.equal) {
      const ratio = (this.y.high - this.y.low) / (this.x.high - this.x.low);
      h = inner * ratio;
      if (h > most) { h = most; w = h / ratio; }
      // Long or tall sections would be too thin to be seen: then one axis is stretched.
      h = Math.max(h, 110);
      w = Math.max(w, Math.min(inner, 120));
    }
    this.box = {left: left + (inner - w) / 2, top, w, h};
    this.height = Math.round(h + top + bottom);
    return true;
  }

  draw_() {
    const width = this.canvas.parentElement.clientWidth;
    if (!this.layout(width)) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.touchAction = this.zoom && !this.isWhole() ? "none" : "pan-y";
    this.ratio = ratio;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const {left, top, w, h} = this.box;
    context.save();
    context.beginPath();
    context.rect(left, top, w, h);
    context.clip();
    this.draw(this, context);
    if (this.cursor) this.drawCursor(context);
    context.restore();
    this.drawAxes(context);
  }

  px(x) { return this.box.left + (x - this.view.x0) / (this.view.x1 - this.view.x0) * this.box.w; }
  py(y) {
    const share = (y - this.view.y0) / (this.view.y1 - this.view.y0);
    return this.box.top + (this.y.up ? 1 - share : share) * this.box.h;
  }
  at(event) {
    const frame = this.canvas.getBoundingClientRect(), {left, top, w, h} = this.box;
    const px = event.clientX - frame.left, py = event.clientY - frame.top;
    return {
      x: this.view.x0 + (px - left) / w * (this.view.x1 - this.view.x0),
      y: this.view.y0 + (this.y.up ? h - (py - top) : py - top) / h * (this.view.y1 - this.view.y0),
      inside: px >= left && px <= left + w && py >= top && py <= top + h,
    };
  }

  /** A raster whose pixels have their centres from x0 to x1 and from y0 to y1. */
  image(context, raster, x0, x1, y0, y1, smooth = true) {
    const dx = raster.width > 1 ? (x1 - x0) / (raster.width - 1) / 2 : 0.5;
    const dy = raster.height > 1 ? (y1 - y0) / (raster.height - 1) / 2 : 0.5;
    context.imageSmoothingEnabled = smooth;
    context.imageSmoothingQuality = "high";
    const left = this.px(x0 - dx), first = this.py(y0 - dy), length = this.py(y1 + dy) - first;
    context.save();
    context.translate(left, first);
    context.scale(1, Math.sign(length));
    context.drawImage(raster, 0, 0, this.px(x1 + dx) - left, Math.abs(length));
    context.restore();
  }

  drawCursor(context) {
    const x = this.px(this.cursor.x), y = this.py(this.cursor.y), {left, top, w, h} = this.box;
    for (const [colour, width] of [["rgba(255,255,255,.8)", 3], ["rgba(0,0,0,.85)", 1]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(left, y); context.lineTo(left + w, y);
      context.moveTo(x, top); context.lineTo(x, top + h);
      context.stroke();
    }
  }

  drawAxes(context) {
    const {left, top, w, h} = this.box;
    context.strokeStyle = css("--soft");
    context.fillStyle = css("--soft");
    context.lineWidth = 1;
    context.strokeRect(left, top, w, h);
    context.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
    context.textAlign = "center";
    context.textBaseline = "top";
    context.beginPath();
    for (const tick of ticks(this.view.x0, this.view.x1, w / 90)) {
      const x = this.px(tick);
      context.moveTo(x, top + h); context.lineTo(x, top + h + 4);
      context.fillText(number(tick, 6), x, top + h + 6);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticks(this.view.y0, this.view.y1, h / 50)) {
      const y = this.py(tick);
      context.moveTo(left - 4, y); context.lineTo(left, y);
      context.fillText(number(tick, 6), left - 7, y);
    }
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(this.x.label, left + w / 2, this.height - 2);
    context.save();
    context.translate(left - 46, top + h / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = "middle";
    context.fillText(this.y.label, 0, 0);
    context.restore();
  }

  say(text) { this.readout.textContent = text || this.hint; }

  point(place) {
    this.cursor = place && {x: place.x, y: place.y};
    this.say(place ? this.read(place.x, place.y) : "");
    this.redraw();
  }

  reset() {
    this.view = {x0: this.x.low, x1: this.x.high, y0: this.y.low, y1: this.y.high};
    this.redraw();
  }

  /** Enlarges the view by a factor about a place. */
  enlarge(factor, about = {x: (this.view.x0 + this.view.x1) / 2, y: (this.view.y0 + this.view.y1) / 2}) {
    if (!this.zoom) return;
    const span = (low, high, all, at) => {
      const size = Math.min(Math.max((high - low) / factor, all.least), all.high - all.low);
      const start = Math.min(Math.max(at - (at - low) / (high - low) * size, all.low), all.high - size);
      return [start, start + size];
    };
    const v = this.view;
    const [x0, x1] = span(v.x0, v.x1, this.x, about.x), [y0, y1] = span(v.y0, v.y1, this.y, about.y);
    this.view = x1 - x0 >= this.x.high - this.x.low && y1 - y0 >= this.y.high - this.y.low
      ? {x0: this.x.low, x1: this.x.high, y0: this.y.low, y1: this.y.high} : {x0, x1, y0, y1};
    this.redraw();
  }

  move(dx, dy) {
    const slide = (low, high, all, by) => {
      const d = Math.min(Math.max(by, all.low - low), all.high - high);
      return [low + d, high + d];
    };
    const [x0, x1] = slide(this.view.x0, this.view.x1, this.x, dx), [y0, y1] = slide(this.view.y0, this.view.y1, this.y, dy);
    this.view = {x0, x1, y0, y1};
    this.redraw();
  }

  onDown(event) {
    this.pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    this.dragged = 0;
    if (this.zoom && event.pointerType !== "touch") this.canvas.setPointerCapture(event.pointerId);
  }

  onMove(event) {
    if (!this.box) return;
    const before = this.pointers.get(event.pointerId), place = this.at(event);
    if (!before) return this.point(place.inside ? place : null);
    const now = {x: event.clientX, y: event.clientY};
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
    this.pointers.set(event.pointerId, now);
    this.dragged += Math.hypot(now.x - before.x, now.y - before.y);
    if (!this.zoom) return this.point(place.inside ? place : null);
    if (others.length === 1) {
      const distance = p => Math.hypot(p.x - others[0].x, p.y - others[0].y);
      return this.enlarge(distance(now) / Math.max(distance(before), 1), place);
    }
    const {w, h} = this.box, v = this.view;
    this.move((before.x - now.x) / w * (v.x1 - v.x0), (this.y.up ? now.y - before.y : before.y - now.y) / h * (v.y1 - v.y0));
  }

  onUp(event) {
    const had = this.pointers.delete(event.pointerId), place = this.box && this.at(event);
    if (!had || !place || event.type === "pointercancel") return;
    if (this.dragged < 6 && place.inside) {
      this.point(place);
      if (this.pick) this.pick(place.x, place.y);
    }
  }

  onWheel(event) {
    // Without a key the wheel scrolls the page, as long as nothing is enlarged.
    if (!this.zoom || (this.isWhole() && !event.ctrlKey && !event.shiftKey && document.activeElement !== this.canvas)) return;
    event.preventDefault();
    this.enlarge(Math.exp(-(event.deltaY || event.deltaX) * 0.0015), this.at(event));
  }

  onKey(event) {
    const v = this.view, at = this.cursor || {x: (v.x0 + v.x1) / 2, y: (v.y0 + v.y1) / 2};
    const far = event.shiftKey ? 0.2 : 0.02;
    const dx = this.x.step && !event.shiftKey ? this.x.step : far * (v.x1 - v.x0), dy = (this.y.up ? -far : far) * (v.y1 - v.y0);
    const go = (x, y) => {
      const place = {x: Math.min(Math.max(at.x + x, this.x.low), this.x.high), y: Math.min(Math.max(at.y + y, this.y.low), this.y.high)};
      this.move(Math.max(0, place.x - v.x1) + Math.min(0, place.x - v.x0), Math.max(0, place.y - v.y1) + Math.min(0, place.y - v.y0));
      this.point(place);
    };
    const actions = {
      ArrowLeft: () => go(-dx, 0), ArrowRight: () => go(dx, 0), ArrowUp: () => go(0, -dy), ArrowDown: () => go(0, dy),
      "+": () => this.enlarge(1.4, at), "=": () => this.enlarge(1.4, at), "-": () => this.enlarge(1 / 1.4, at),
      "0": () => this.reset(), Escape: () => this.point(null),
      Enter: () => this.pick && this.pick(at.x, at.y),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}

/** Of places in pixels those to be drawn, as regular as all are and `least` apart: io/pictures/thinned_marks.hpp. */
function evenlyThinned(places, least) {
  if (places.length < 2) return places;
  const lines = axis => {
    const kept = [];
    for (const at of places.map(p => p[axis]).sort((a, b) => a - b)) if (!kept.length || at - kept.at(-1) >= 0.02 * least) kept.push(at);
    return kept;
  };
  const all = [lines(0), lines(1)];
  if (all[0].length * all[1].length > 2 * places.length) {
    const apart = places.slice(1).map((p, i) => Math.hypot(p[0] - places[i][0], p[1] - places[i][1])).sort((a, b) => a - b);
    const step = Math.max(1, Math.ceil(least / Math.max(apart[apart.length >> 1], 1e-9) - 1e-9));
    return places.filter((_, i) => i % step === 0);
  }
  const steps = all.map(l => (l.length < 2 ? 1 : Math.max(1, Math.ceil(least / ((l.at(-1) - l[0]) / (l.length - 1)) - 1e-9))));
  const rank = (list, at) => {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= at) low = middle + 1; else high = middle;
    }
    return low - 1;
  };
  return places.filter(p => [0, 1].every(a => rank(all[a], p[a]) % steps[a] === 0));
}

/** Marks that would touch are left out. */
function drawMarks(plot, context, places, shape, colour) {
  for (const [px, py] of evenlyThinned(places.map(([x, y]) => [plot.px(x), plot.py(y)]), 8)) {
    context.beginPath();
    if (shape === "star") {
      for (let i = 0; i < 10; ++i) {
        const radius = i % 2 ? 3.2 : 7.5, angle = Math.PI * (i / 5 - 0.5);
        context.lineTo(px + radius * Math.cos(angle), py + radius * Math.sin(angle));
      }
    } else {
      context.moveTo(px - 4, py - 3.5); context.lineTo(px + 4, py - 3.5); context.lineTo(px, py + 3.5);
    }
    context.closePath();
    context.fillStyle = colour;
    context.strokeStyle = "#101010";
    context.lineWidth = 0.8;
    context.fill();
    context.stroke();
  }
}

/** Fills a box with slanted lines. */
function hatch(plot, context, x0, x1, y0, y1, back) {
  const left = plot.px(x0), right = plot.px(x1), top = Math.min(plot.py(y0), plot.py(y1)), bottom = Math.max(plot.py(y0), plot.py(y1));
  if (right - left < 0.5 || bottom - top < 0.5) return;
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  context.fillStyle = back;
  context.fillRect(left, top, right - left, bottom - top);
  context.strokeStyle = "rgba(128,128,128,.55)";
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - (bottom - top); x < right; x += 7) { context.moveTo(x, bottom); context.lineTo(x + bottom - top, top); }
  context.stroke();
  context.restore();
}
