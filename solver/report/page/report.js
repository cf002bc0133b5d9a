// The theme, and the beginning of it all.

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function showTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  for (const plot of plots) plot.redraw();
  recolourCharts();
}

byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);

function fail(what) {
  byId("failure").hidden = false;
  byId("failure").textContent = `A part of the report could not be shown: ${what && what.message ? what.message : what}`;
}

async function begin() {
  fillHeader();
  fillContents();
  fillOverview();
  showResiduals();
  fillChecks();
  fillProvenance();
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack pictures and seismograms (2023 or newer is needed)");
  await Promise.all(shots.filter(s => s.gather).map(s => placeReceivers(s.gather)));
  await showModel();
  await showWavefield();
  await showGathers();
  showTheme();
  document.documentElement.dataset.ready = "yes";
}

begin().catch(fault => { fail(fault); console.error(fault); });
