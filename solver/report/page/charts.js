// Curves over time and frequency, drawn by dygraphs, in the colours of the theme.

const charts = [];

/** Draws rows [x, y, …] in an element; `labels` name the columns. Called again it shows other rows. */
function drawChart(holder, rows, labels, options) {
  let chart = charts.find(c => c.holder === holder);
  if (!rows.length) rows = [[0, ...labels.slice(1).map(() => null)]];
  if (chart) chart.graph.destroy();
  else charts.push(chart = {holder});
  chart.arguments = [rows, labels, options];
  const line = {axisLineColor: css("--soft"), gridLineColor: css("--grid")};
  chart.graph = new Dygraph(holder, rows, {
    labels, legend: labels.length > 2 ? "always" : "follow", labelsUTC: false, strokeWidth: 1.4, animatedZooms: false, connectSeparatedPoints: true,
    colors: [1, 2, 3, 4].map(i => css(`--curve-${i}`)), xLabelHeight: 16, yLabelWidth: 16, rightGap: 12,
    ...line, ...options,
    axes: {
      x: {axisLabelFormatter: value => number(value), valueFormatter: value => number(value, 6), ...(options.axes || {}).x},
      y: {axisLabelWidth: 56, axisLabelFormatter: value => number(value, 3), valueFormatter: value => number(value), ...(options.axes || {}).y},
    },
  });
  return chart.graph;
}

function recolourCharts() {
  for (const chart of charts) drawChart(chart.holder, ...chart.arguments);
}
