// The section "Spectra".

/** Rows [f, …] up to where signals end, at most some thousand. */
function upTo(df, ...columns) {
  const highest = summary.sampling ? 1.6 * summary.sampling.highest_frequency_hz : Infinity;
  const end = Math.min(columns[0].length, Math.max(16, Math.ceil(highest / df))), every = Math.max(1, Math.floor(end / 1500));
  const rows = [];
  for (let i = 0; i < end; i += every) rows.push([i * df, ...columns.map(c => c[i])]);
  return rows;
}

/** Of the traces of a line of a shot, and of its wavelets. */
async function showSpectra(shot, line, p) {
  const {gather} = shot, every = Math.ceil(line.count / 240), chosen = [];
  for (let r = line.first; r < line.first + line.count; r += every) chosen.push(p.subarray(r * gather.samples, (r + 1) * gather.samples));
  const {df, amplitude} = amplitudeSpectrum(chosen, gather.samples, gather.dt_s);
  const rows = upTo(df, decibels(amplitude)), labels = ["f", `rms of ${chosen.length} traces`], signals = [];
  for (const wavelet of shot.wavelets) {
    labels.push(shot.wavelets.length > 1 ? `wavelet ${signals.length + 1}` : "wavelet");
    signals.push({wavelet, signal: await numbers(wavelet.signal)});
  }
  const of = signals.map(({wavelet, signal}) => spectrumAt(signal, wavelet.dt_s, rows.map(r => r[0]))), strongest = Math.max(0, ...of.flat());
  for (const amplitude of of) decibels(amplitude, strongest).forEach((db, i) => rows[i].push(db));
  byId("spectrum-title").textContent = `Amplitude spectrum of shot ${shot.shot}${line.at ? `, ${line.at}` : ""}`;
  drawChart(byId("spectrum-chart"), rows, labels, {xlabel: "Frequency (Hz)", ylabel: "Amplitude (dB re maximum)", valueRange: [-80, 3]});
  byId("wavelet-chart").parentElement.hidden = signals.length === 0;
  byId("spectra-text").textContent = `Decibels below the largest amplitude of the traces${signals.length > 1 ? ", and of all wavelets" : ", and of the wavelet"}; the last fifth of each trace is tapered.${every > 1 ? ` Of every ${ordinal(every)} trace.` : ""}`;
  if (!signals.length) return;
  const {wavelet, signal} = signals[0];
  const all = [];
  for (let n = 0; n < Math.max(...signals.map(s => s.signal.length)); ++n) all.push([n * wavelet.dt_s, ...signals.map(s => (n < s.signal.length ? s.signal[n] : null))]);
  const first = wavelet.peak_frequency_hz > 0 ? `, peak at ${number(wavelet.peak_frequency_hz)} Hz` : "";
  byId("wavelet-title").textContent = `Source wavelet: ${[...new Set(signals.map(s => s.wavelet.type))].join(", ").replaceAll("_", " ")}${signals.length === 1 ? first : ""}, ${signal.length} samples`;
  drawChart(byId("wavelet-chart"), all, ["t", ...signals.map((_, i) => (signals.length > 1 ? `wavelet ${i + 1}` : "s(t)"))], {xlabel: "Time (s)", ylabel: "amplitude"});
}
