// Planes of the grid: their axes, absorbing layers and values.

const plots = [];

const last = axis => axis.first_m + (axis.count - 1) * axis.spacing_m;
const planeLabel = p => (p.across ? `${p.name} at ${p.across} = ${number(p.at_m, 6)} m` : p.name);

const axisTitle = axis => (axis.name === "z" ? "Depth (m)" : `${axis.name} (m)`);

/** The axes of a plane, maps with north on top, with the absorbing layers beyond it or without. */
function planeAxes(plane, beyond) {
  const [left, right, top, bottom] = plane.sides.map(s => (beyond ? s.beyond_m : 0)), {horizontal: h, vertical: v} = plane;
  return {
    x: {label: axisTitle(h), low: h.first_m - left, high: last(h) + right, least: 4 * h.spacing_m},
    y: {label: axisTitle(v), up: v.name === "y", low: v.first_m - top, high: last(v) + bottom, least: 4 * v.spacing_m},
  };
}

/** The index of the value of a plane at a place; -1 outside. */
function indexAt(plane, x, y) {
  const {horizontal: h, vertical: v} = plane;
  const i = Math.round((x - h.first_m) / h.spacing_m), j = Math.round((y - v.first_m) / v.spacing_m);
  return i >= 0 && j >= 0 && i < h.count && j < v.count ? j * h.count + i : -1;
}

const placeText = (plane, x, y) => `${plane.horizontal.name} ${number(x)} m, ${plane.vertical.name} ${number(y)} m`;

/** Hatches the absorbing layers of a plane and outlines its grid. */
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

/** A raster of the values of a plane, where they lie. */
function drawPlane(plot, context, plane, raster, smooth) {
  plot.image(context, raster, plane.horizontal.first_m, last(plane.horizontal), plane.vertical.first_m, last(plane.vertical), smooth);
}

/** "the left, right and bottom edges". */
function edgesText(names) {
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  return `the ${list} edge${names.length > 1 ? "s" : ""}`;
}

/** What the sides of a plane are, in words. */
function sidesText(plane, beyond) {
  const names = ["left", "right", "top", "bottom"].map((n, i) => [n, plane.sides[i]]);
  const layers = names.filter(([, s]) => s.beyond_m > 0 || s.inside_m > 0);
  const others = names.filter(([, s]) => s.kind && !(s.beyond_m > 0 || s.inside_m > 0));
  const text = [];
  const shown = layers.filter(([, s]) => beyond || s.inside_m > 0), kinds = list => [...new Set(list.map(([, s]) => s.kind))].join(", ");
  if (shown.length) text.push(`Hatched: absorbing zones (${kinds(shown)})`);
  else if (layers.length) text.push(`Absorbing zones (${kinds(layers)}) beyond ${edgesText(layers.map(([n]) => n))}`);
  for (const [name, side] of others) text.push(`${name}: ${side.kind.replace("_", " ")}`);
  return text.join(" · ");
}

/** Whether sources and receivers have a place on a plane: on sections and maps, not on gathers. */
const hasPlaces = plane => [plane.horizontal, plane.vertical].every(axis => "xyz".includes(axis.name));

/** Positions as a plane has them. */
const projected = (plane, positions) => {
  const at = {x: 0, y: 1, z: 2};
  return positions.map(p => [p[at[plane.horizontal.name]], p[at[plane.vertical.name]]]);
};

const uniform = p => !(p.max > p.min);

async function modelRaster(plane, parameter, map) {
  const values = await numbers(parameter.values), table = colours(map);
  return paintRaster(plane.horizontal.count, plane.vertical.count, (i, pixels, at) => {
    pixels.set(table[uniform(parameter) ? kMiddle : Math.round(values[i] / 65535 * (kColours - 1))], at);
    pixels[at + 3] = 255;
  });
}
