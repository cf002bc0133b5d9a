// Values of the page: what its data elements hold, and how numbers read.

const kArrays = {int8: Int8Array, int16: Int16Array, uint16: Uint16Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array};
const unpacked = new Map();

/** The numbers of a block, deflated and in base64 in an element of the page. Each is unpacked once. */
function numbers(block) {
  if (!unpacked.has(block.block)) unpacked.set(block.block, unpack(block));
  return unpacked.get(block.block);
}

async function unpack(block) {
  const packed = Uint8Array.from(atob(document.getElementById(block.block).textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const values = new kArrays[block.type](await new Response(stream).arrayBuffer());
  if (values.length !== block.count) throw new Error(`${block.block} is damaged`);
  return values;
}

const byId = id => document.getElementById(id);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const superscript = text => text.replace(/./g, c => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || "⁻");

/** 1234.5678 as "1235", -0.000012 as "−1.2×10⁻⁵". */
function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e6 && size >= 1e-3) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split("e");
  return `${Number(mantissa)}×10${superscript(exponent.replace("+", ""))}`.replace("-", "−");
}

/** The unit of pressures up to a size, and what one of it is in Pa: 0.011 Pa, but 11 µPa, as io/pictures/ticks.cpp has them. */
function pressureUnit(largest) {
  const thousandths = largest > 0 && largest < 1e-2 ? Math.min(4, -Math.floor(Math.log10(largest) / 3)) : 0;
  return {name: `${["", "m", "µ", "n", "p"][thousandths]}Pa`, pa: 1000 ** -thousandths};
}

function pressureText(value, digits) {
  const unit = pressureUnit(Math.abs(value));
  return `${number(value / unit.pa, digits)} ${unit.name}`;
}

const count = value => Number(value).toLocaleString("en-GB");

function bytes(value) {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
    if (value >= size) return `${number(value / size, 3)} ${unit}`;
  return `${value} bytes`;
}

function seconds(value) {
  if (value >= 3600) return `${Math.floor(value / 3600)} h ${Math.round(value % 3600 / 60)} min`;
  if (value >= 60) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  return value >= 1 ? `${number(value, 3)} s` : `${number(value * 1e3, 3)} ms`;
}

/** Round numbers in [low, high], some `wanted` of them. */
function ticks(low, high, wanted) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const raw = span / Math.max(wanted, 1), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(s => s >= raw * 0.999);
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; ++i) list.push(Number((i * step).toPrecision(12)));
  return list;
}

/** The value below which `part` of the sizes of the values lie, from a sample of them. */
function percentile(values, part, size = Math.abs) {
  const every = Math.max(1, Math.floor(values.length / 50000)), sample = [];
  for (let i = 0; i < values.length; i += every) sample.push(size(values[i]));
  sample.sort((a, b) => a - b);
  return sample.length ? sample[Math.min(sample.length - 1, Math.floor(part * sample.length))] : 0;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function fillSelect(select, labels) {
  select.replaceChildren(...labels.map((label, i) => {
    const option = element("option", label);
    option.value = String(i);
    return option;
  }));
  select.closest("label").hidden = labels.length < 2;
}

/** A table of names and values; rows without a value are left out. */
function fillFacts(table, rows) {
  for (const [name, value, className] of rows) {
    if (value === undefined || value === null || value === "") continue;
    const row = element("tr"), head = element("th", name);
    head.scope = "row";
    row.append(head, element("td", String(value), className));
    table.append(row);
  }
}
