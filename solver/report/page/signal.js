// Signals: amplitude spectra.

/** The fast Fourier transform of a power of two of numbers, in place. */
function transform(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [re[i], re[j], im[i], im[j]] = [re[j], re[i], im[j], im[i]];
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2, angle = -2 * Math.PI / size;
    for (let k = 0; k < half; ++k) {
      const c = Math.cos(angle * k), s = Math.sin(angle * k);
      for (let i = k; i < n; i += size) {
        const j = i + half, r = re[j] * c - im[j] * s, t = re[j] * s + im[j] * c;
        re[j] = re[i] - r;
        im[j] = im[i] - t;
        re[i] += r;
        im[i] += t;
      }
    }
  }
}

/**
 * The root mean square of the amplitude spectra of traces of `samples` numbers each: {df, amplitude}, from 0 to the Nyquist. The last
 * fifth of a trace is tapered: the end of the record cuts through waves, which is no frequency of theirs.
 */
function amplitudeSpectrum(traces, samples, dt) {
  let n = 2;
  while (n < 2 * samples) n *= 2;
  const amplitude = new Float64Array(n / 2 + 1);
  for (const trace of traces) {
    const re = new Float64Array(n), im = new Float64Array(n);
    re.set(trace);
    for (let i = 0, taper = Math.floor(samples / 5); i < taper; ++i) re[samples - 1 - i] *= Math.sin(Math.PI / 2 * i / taper) ** 2;
    transform(re, im);
    for (let i = 0; i < amplitude.length; ++i) amplitude[i] += (re[i] ** 2 + im[i] ** 2) / traces.length;
  }
  return {df: 1 / (n * dt), amplitude: amplitude.map(Math.sqrt)};
}

/** The amplitude spectrum of a signal at the frequencies [Hz]. */
function spectrumAt(signal, dt, frequencies) {
  return frequencies.map(f => {
    let re = 0, im = 0;
    const angle = 2 * Math.PI * f * dt;
    for (let i = 0; i < signal.length; ++i) {
      re += signal[i] * Math.cos(angle * i);
      im += signal[i] * Math.sin(angle * i);
    }
    return Math.hypot(re, im);
  });
}

/** Decibels below `top`, by default the largest, none lower than `floor`. */
function decibels(amplitudes, top = amplitudes.reduce((a, b) => Math.max(a, b), 0), floor = -100) {
  return Array.from(amplitudes, a => top > 0 ? Math.max(floor, 20 * Math.log10(a / top)) : floor);
}
