// The section "Spectra".

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
  drawChart(byId("spectrum-chart"), rows, labels, {xlabel: "Frequency (Hz)", ylabel: "Amplitude (dB re maximum)", valueRange: [-80, 3]});
  byId("wavelet-chart").parentElement.hidden = signals.length === 0;
  byId("spectra-text").textContent = "Decibels below the largest amplitude of each curve; the last twentieth of each trace is tapered." + (every > 1 ? ` The mean is of every ${ordinal(every)} trace.` : "");
  if (!signals.length) return;
  const {wavelet, signal} = signals[0];
  const all = [];
  for (let n = 0; n < Math.max(...signals.map(s => s.signal.length)); ++n) all.push([n * wavelet.dt_s, ...signals.map(s => (n < s.signal.length ? s.signal[n] : null))]);
  const first = wavelet.peak_frequency_hz > 0 ? `, peak at ${number(wavelet.peak_frequency_hz)} Hz` : "";
  byId("wavelet-title").textContent = `Source wavelet: ${[...new Set(signals.map(s => s.wavelet.type))].join(", ").replaceAll("_", " ")}${signals.length === 1 ? first : ""}, ${signal.length} samples`;
  drawChart(byId("wavelet-chart"), all, ["t", ...signals.map((_, i) => (signals.length > 1 ? `wavelet ${i + 1}` : "s(t)"))], {xlabel: "Time (s)", ylabel: "amplitude"});
}
