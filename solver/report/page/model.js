// The section "Model and survey".

// Images of both signs are grey, as sections of seismic data are.
const mapOf = parameter => parameter.image && parameter.min < 0 ? kSeismic : kViridis;

class ModelView {
  constructor(planes) {
    this.planes = planes;
    this.plot = new Plot(byId("model-canvas"), {
      x: {low: 0, high: 1}, y: {low: 0, high: 1}, equal: true, zoom: true, readout: byId("model-readout"),
      draw: (plot, context) => this.draw(plot, context), read: (x, y) => this.read(x, y),
    });
    plots.push(this.plot);
    fillSelect(byId("model-plane"), planes.map(planeLabel));
    this.offer(planes[0]);
    for (const id of ["model-plane", "model-parameter", "model-marks"]) byId(id).addEventListener("change", () => this.show());
  }

  /** Lets choose among what a plane shows. */
  offer(plane) {
    const labels = plane.parameters.map(p => p.image ? p.quantity : `${p.quantity} (${p.name})`), select = byId("model-parameter");
    if (`${labels}` === this.offered) return;
    this.offered = `${labels}`;
    fillSelect(select, labels);
  }

  async show() {
    const plane = this.planes[byId("model-plane").value || 0];
    this.offer(plane);
    const parameter = plane.parameters[byId("model-parameter").value || 0];
    const values = await numbers(parameter.values), raster = await modelRaster(plane, parameter, mapOf(parameter));
    Object.assign(this, {plane, parameter, values, raster});
    this.plot.set(planeAxes(plane, true));
    byId("model-canvas").setAttribute("aria-label", `${parameter.quantity} on the plane ${planeLabel(plane)}. Arrow keys move a cross hair, plus and minus zoom.`);
    byId("model-bar").parentElement.hidden = uniform(parameter);
    paintBar(byId("model-bar"), i => colours(mapOf(parameter))[i], parameter.image && parameter.min < 0);
    byId("model-range").replaceChildren(...[parameter.min, parameter.max].map(v => element("span", `${number(v)} ${parameter.unit}`)));
    byId("model-legend").textContent = [uniform(parameter) ? `Uniform: ${number(parameter.min)} ${parameter.unit}` : "",
      hasPlaces(plane) ? "★ sources, ▽ receivers of all shots" : "", sidesText(plane, true)].filter(Boolean).join(" · ");
    this.plot.redraw();
  }

  draw(plot, context) {
    if (!this.raster) return;
    drawPlane(plot, context, this.plane, this.raster, false);
    drawLayers(plot, context, this.plane);
    if (!byId("model-marks").checked || !hasPlaces(this.plane)) return;
    drawMarks(plot, context, projected(this.plane, report.survey.receivers_m), "triangle", kReceiverColour);
    drawMarks(plot, context, projected(this.plane, report.survey.sources_m), "star", kSourceColour);
  }

  read(x, y) {
    const at = this.values ? indexAt(this.plane, x, y) : -1, {parameter} = this;
    if (at < 0) return placeText(this.plane, x, y);
    const value = parameter.min + (parameter.max - parameter.min) * this.values[at] / 65535;
    return `${placeText(this.plane, x, y)}: ${parameter.name} ${number(value)} ${parameter.unit}`;
  }
}

/** How many traces have their midpoint where, of surveys along a line. */
function showFold() {
  const {fold} = report;
  byId("fold-figure").hidden = !fold;
  if (!fold) return;
  const rows = fold.traces.map((traces, i) => [fold.first_m + i * fold.bin_m, traces]);
  byId("fold-title").textContent = `Fold, in bins of ${number(fold.bin_m)} m`;
  drawChart(byId("fold-chart"), rows, ["midpoint", "traces"], {xlabel: `Midpoint ${fold.axis || "along the line"} (m)`, ylabel: "Traces in a bin", stepPlot: true, includeZero: true});
}

async function showModel() {
  showFold();
  const planes = report.planes.filter(p => p.parameters.length);
  byId("model-text").textContent = summary.model || "";
  if (planes.length) return new ModelView(planes).show();
  byId("model").querySelectorAll(".controls, .plot, .bar, .readout, .legend").forEach(e => e.remove());
  byId("model-text").textContent = `No section can be shown: ${report.notes.find(n => n.includes("model")) || "the model was not kept"}.`;
}
